"""Style of a page: one column on a phone, a grid on a desk; light, dark and on paper; nothing from the network."""

__all__ = ["STYLE"]

STYLE = """
:root {
  color-scheme:light dark; --paper:#fff; --ink:#1d2530; --soft:#5c6773; --rule:#dde2e8; --bar:#3b78ad;
  --band:#bcd5ea; --whisker:#16283a; --shade:47 111 159; --below:201 106 20; --strong:#fff; --box:#f4f7fa;
  --note:#fdf3dc; --mark:#c4600d;
}
@media(prefers-color-scheme:dark) {
  :root {
    --paper:#14181d; --ink:#e4e9ee; --soft:#9aa6b2; --rule:#2f3841; --bar:#5a9bd4; --band:#2a4a66;
    --whisker:#f0f4f8; --shade:90 160 220; --below:230 145 60; --strong:#0c1116; --box:#1c2229; --note:#3a3220;
    --mark:#f0a050;
  }
}
* { box-sizing:border-box }
body {
  font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif; max-width:68rem; margin:0 auto;
  padding:1.2rem 1rem 3rem; color:var(--ink); background:var(--paper); overflow-wrap:break-word;
}
h1 { font-size:1.9rem; line-height:1.2; margin:.6rem 0 .2rem }
h2 { font-size:1.3rem; margin:2.4rem 0 .6rem; padding-bottom:.2rem; border-bottom:1px solid var(--rule) }
h3 { font-size:1.02rem; margin:1.4rem 0 .4rem }
p,ul,ol { max-width:46rem }
.lead { font-size:1.1rem; color:var(--soft); margin:.2rem 0 1rem }
small,.small { font-size:.85rem }
.soft { color:var(--soft) }
a { color:var(--bar) }
nav ul { list-style:none; padding:0; margin:.8rem 0; display:flex; flex-wrap:wrap; gap:.2rem 1.2rem }
pre,code { font:.86rem/1.5 ui-monospace,Consolas,monospace }
pre { background:var(--box); padding:.7rem .9rem; overflow-x:auto; border-radius:.3rem; max-width:100% }
code { overflow-wrap:anywhere }
.cards {
  display:grid; grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr)); gap:.7rem; margin:1rem 0; padding:0;
}
.cards div { background:var(--box); border-radius:.4rem; padding:.6rem .9rem }
.cards dt { color:var(--soft); font-size:.85rem }
.cards dd { margin:0; font-size:1.25rem; font-weight:600 }
table { border-collapse:collapse; font-variant-numeric:tabular-nums }
.wide { overflow-x:auto; max-width:100% }
.facts td,.facts th {
  padding:.25rem .9rem .25rem 0; border-bottom:1px solid var(--rule); text-align:left; vertical-align:top;
}
.facts td.n { white-space:nowrap }
.facts td.n,.facts th.n { text-align:right; padding:.25rem 0 .25rem .9rem }
.facts th { font-weight:600 }
.pictures { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr)); gap:1.4rem 2.2rem }
figure { margin:0; min-width:0 }
figcaption { font-weight:600; margin-bottom:.25rem }
.bars { width:100%; table-layout:fixed; font-size:.86rem; line-height:1.25 }
.bars th {
  width:7.4rem; font-weight:400; text-align:right; padding:0 .5rem 0 0; overflow:hidden; text-overflow:ellipsis;
  white-space:nowrap;
}
.bars td { padding:0 }
.bars td.n { width:9rem; padding-left:.6rem; text-align:right }
.bars svg { display:block; width:100%; height:1.45em }
.ticks {
  display:flex; justify-content:space-between; color:var(--soft); font-size:.74rem;
  border-top:1px solid var(--rule);
}
.bar { fill:var(--bar) }
.band { fill:var(--band) }
.grid { stroke:var(--rule); fill:none }
.whisker { stroke:var(--whisker); stroke-width:1.6; fill:none }
.line { stroke:var(--bar); stroke-width:2; fill:none }
.true { fill:var(--mark) }
svg * { vector-effect:non-scaling-stroke }
svg text { font:11px system-ui,sans-serif; fill:currentColor }
.curve { display:grid; grid-template-columns:auto 1fr; gap:0 .4rem; font-size:.74rem; color:var(--soft) }
.curve svg { display:block; width:100%; height:9.5rem }
.curve .up { display:flex; flex-direction:column; justify-content:space-between; text-align:right }
.heat { font-size:.78rem; line-height:1.2 }
.heat td { min-width:2.5rem; height:1.8rem; text-align:center; padding:0 .2rem; border:1px solid var(--paper) }
.heat td.s { color:var(--strong) }
.heat td.z { color:var(--soft) }
.heat thead th { font-weight:400; vertical-align:bottom; padding:.1rem; max-width:5.5rem }
.heat thead th span { display:inline-block }
.heat .turned span { writing-mode:vertical-rl; transform:rotate(180deg); white-space:nowrap }
.heat tbody th { font-weight:400; text-align:right; padding-right:.5rem; white-space:nowrap }
.heat .corner { color:var(--soft); text-align:right }
.legend {
  display:flex; flex-wrap:wrap; gap:.2rem 1.1rem; align-items:center; font-size:.85rem; color:var(--soft);
  margin:.4rem 0 1rem;
}
.legend i {
  display:inline-block; width:1.6rem; height:1rem; margin-right:.35rem; vertical-align:-.15rem;
  border:1px solid var(--rule);
}
.stamp { background:#b3261e; color:#fff; font-weight:700; padding:.7rem 1rem; font-size:1.1rem; max-width:none }
.note { background:var(--note); padding:.5rem .9rem; border-radius:.3rem }
@media(max-width:30rem) {
  body { font-size:15px }
  h1 { font-size:1.6rem }
  .bars th { width:5.8rem }
  .bars td.n { width:7.4rem; padding-left:.4rem; font-size:.8rem }
  .facts td,.facts th { padding-right:.6rem }
  .bars .ticks span:nth-child(even) { visibility:hidden }
}
@media print {
  :root {
    color-scheme:light; --paper:#fff; --ink:#000; --soft:#444; --rule:#ccc; --bar:#3b78ad; --band:#bcd5ea;
    --whisker:#000; --shade:47 111 159; --below:201 106 20; --strong:#fff; --box:#f4f7fa; --note:#fdf3dc;
    --mark:#c4600d;
  }
  * { -webkit-print-color-adjust:exact; print-color-adjust:exact }
  html { font-size:11.5px }
  body { font-size:10pt; padding:0; max-width:none }
  .bars .ticks span:nth-child(even) { visibility:hidden }
  nav { display:none }
  figure,pre,.note,.cards div,tr { break-inside:avoid }
  h2,h3 { break-after:avoid }
  .wide { overflow:visible }
  .pictures { grid-template-columns:1fr 1fr }
  pre { white-space:pre-wrap }
}
"""
