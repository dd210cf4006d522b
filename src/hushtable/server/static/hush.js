// Better with a script: answers without a new page, names that complete themselves, a history, two columns by a click.
"use strict";
const ask = document.querySelector("form.ask[data-release]");
const answers = document.querySelector("#answer");
const get = async (url, options) => {
  const response = await fetch(url, { credentials: "same-origin", ...options });
  if (response.redirected && new URL(response.url).pathname === "/login") location.reload();
  return response.text();
};

// ---- asking in place, and what was asked in this session
const kept = ask && `hush:${ask.dataset.release}`;
const asked = () => JSON.parse(sessionStorage.getItem(kept) || "[]");
function showHistory() {
  const box = document.querySelector("#history");
  if (!box || !ask) return;
  const texts = asked();
  box.hidden = texts.length === 0;
  box.querySelector("ol").replaceChildren(...texts.map((text) => {
    const item = document.createElement("li"), link = document.createElement("a"), code = document.createElement("code");
    code.textContent = text;
    link.href = `${ask.action}?q=${encodeURIComponent(text)}`;
    link.append(code);
    item.append(link);
    return item;
  }));
}
function remember(text) {
  sessionStorage.setItem(kept, JSON.stringify([text, ...asked().filter((one) => one !== text)].slice(0, 20)));
  showHistory();
}
async function answer(text) {
  const url = `${ask.action}?q=${encodeURIComponent(text)}`;
  answers.setAttribute("aria-busy", "true");
  // What comes was made by our own templates, which escape everything.
  answers.innerHTML = await get(`${url}&part=true`);
  answers.removeAttribute("aria-busy");
  history.replaceState(null, "", url);
  remember(text);
}
if (ask) {
  const box = ask.querySelector("#q");
  if (box.value && answers.children.length) remember(box.value);
  showHistory();
  ask.addEventListener("submit", (event) => {
    event.preventDefault();
    close();
    if (box.value.trim()) answer(box.value.trim());
  });

  // ---- names and values that complete themselves
  let words = null, list = null, at = -1;
  // Asked for once: letters that are typed meanwhile wait for the same answer.
  const load = () => (words ??= get(`/api/v1/releases/${encodeURIComponent(ask.dataset.release)}`)
    .then((text) => JSON.parse(text).columns).catch((fault) => { words = null; throw fault; }));
  const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
  const named = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
  function close() { list?.remove(); list = null; at = -1; box.setAttribute("aria-expanded", "false"); box.removeAttribute("aria-activedescendant"); }
  function offers(columns, before) {
    const value = before.match(/("[^"]+"|[A-Za-z_]\w*)\s*(?:=|<>|IN\s*\()\s*('?[^']*)$/i);
    const name = value && value[1].replace(/^"|"$/g, "").replaceAll('""', '"').toLowerCase();
    const column = columns.find((one) => one.name.toLowerCase() === name);
    if (column) return [value[2].replace(/^'/, ""), column.values.map(quoted), before.length - value[2].length];
    const word = before.match(/[\w.]*$/)[0];
    return [word, word ? columns.map((one) => named(one.name)) : [], before.length - word.length];
  }
  async function suggest() {
    const columns = await load();
    const before = box.value.slice(0, box.selectionStart);
    const [typed, all, from] = offers(columns, before);
    const found = all.filter((one) => one.toLowerCase().includes(typed.toLowerCase()) && one !== typed).slice(0, 8);
    close();
    if (!found.length) return;
    list = document.createElement("ul");
    list.id = "offers";
    list.setAttribute("role", "listbox");
    list.append(...found.map((text, i) => {
      const item = document.createElement("li");
      item.id = `offer${i}`;
      item.setAttribute("role", "option");
      item.textContent = text;
      item.addEventListener("mousedown", (event) => { event.preventDefault(); take(text, from); });
      return item;
    }));
    list.take = (i) => take(found[i], from);
    box.closest(".line").after(list);
    box.setAttribute("aria-expanded", "true");
  }
  function take(text, from) {
    const rest = box.value.slice(box.selectionStart);
    box.value = `${box.value.slice(0, from)}${text} ${rest.trimStart()}`;
    box.setSelectionRange(from + text.length + 1, from + text.length + 1);
    close();
    box.focus();
  }
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-controls", "offers");
  box.setAttribute("aria-expanded", "false");
  box.addEventListener("input", suggest);
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (event) => {
    if (!list) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      at = (at + step + list.children.length) % list.children.length;
      [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
      box.setAttribute("aria-activedescendant", `offer${at}`);
    } else if (event.key === "Tab" && at < 0) close();
    else if ((event.key === "Enter" || event.key === "Tab") && at >= 0) { event.preventDefault(); list.take(at); }
    else if (event.key === "Escape") close();
  });
  document.querySelectorAll("a.try").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    box.value = link.textContent;
    answer(box.value);
  }));
}

// ---- two columns by a click
const cross = document.querySelector("form.cross");
if (cross) {
  let first = null;
  const pressed = (card, on) => card.setAttribute("aria-pressed", String(on));
  document.querySelectorAll(".column").forEach((card) => {
    card.tabIndex = 0;
    card.setAttribute("role", "button");
    pressed(card, false);
    const choose = async () => {
      if (first === card) { pressed(card, false); first = null; return; }
      pressed(card, true);
      if (!first) { first = card; return; }
      const [a, b] = [first.dataset.column, card.dataset.column];
      const url = `${cross.action}?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`;
      answers.innerHTML = await get(`${url}&part=true`);
      answers.scrollIntoView({ block: "start" });
      pressed(first, false);
      pressed(card, false);
      first = null;
    };
    card.addEventListener("click", choose);
    card.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
  });
}

// ---- a plan that follows epsilon
const plan = document.querySelector("form.plan");
if (plan) {
  const slide = plan.querySelector(".slide"), range = slide.querySelector("input");
  slide.hidden = false;
  range.value = Math.log10(Number(plan.epsilon.value) || 1);
  let waiting = 0;
  const forecast = async () => {
    const body = new URLSearchParams(new FormData(plan));
    body.set("part", "true");
    document.querySelector("#forecast").innerHTML = await get("/plan", { method: "POST", body });
  };
  range.addEventListener("input", () => {
    plan.epsilon.value = Number((10 ** Number(range.value)).toPrecision(2));
    clearTimeout(waiting);
    waiting = setTimeout(forecast, 250);
  });
  plan.addEventListener("submit", (event) => { event.preventDefault(); forecast(); });
}
