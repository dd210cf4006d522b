# Reads the released numbers of a .hush file in R, without this library, and answers cross-tabs with error bars.
#
#   source("hush.R")
#   clinic <- hush_read("clinic.hush")                # needs jsonlite, and nanoparquet or arrow
#   clinic <- hush_read("clinic-numbers")             # or a folder that `hush export clinic.hush` wrote: jsonlite alone
#   hush_crosstab(clinic, c("sex", "smoker"))         # labels, share, stderr, low, high
#   design <- hush_survey("weights.csv")              # `hush sample --replicate-weights`: a design of the survey package
#
# It knows the models `low-order` (marginals, Gaussian noise) and `histogram`, with a public number of rows. Shares and
# standard errors are those of `hush ask`; intervals are the normal ones.

hush_read <- function(path) {
  folder <- path
  if (!dir.exists(path)) {
    folder <- tempfile("hush")
    utils::unzip(path, exdir = folder)
  }
  manifest <- jsonlite::fromJSON(file.path(folder, "manifest.json"), simplifyVector = FALSE)
  names <- sub("\\.parquet$", "", names(manifest$members))
  numbers <- lapply(stats::setNames(names, names), function(name) .hush_numbers(folder, name))
  attributes <- Filter(function(a) !(a$kind %in% c("open", "decision_list")), manifest$domain$attributes)
  structure(list(manifest = manifest, numbers = numbers, attributes = attributes,
                 labels = lapply(attributes, .hush_labels)), class = "hush")
}

.hush_numbers <- function(folder, name) {
  csv <- file.path(folder, paste0(name, ".csv"))
  if (file.exists(csv)) return(as.numeric(utils::read.csv(csv, colClasses = "character")$value))
  parquet <- file.path(folder, paste0(name, ".parquet"))
  if (requireNamespace("nanoparquet", quietly = TRUE)) return(as.numeric(nanoparquet::read_parquet(parquet)$value))
  if (requireNamespace("arrow", quietly = TRUE)) return(as.numeric(arrow::read_parquet(parquet)$value))
  stop("install nanoparquet or arrow, or write the numbers as CSV by: hush export FILE.hush", call. = FALSE)
}

# One label a code, in the order of the codes.
.hush_labels <- function(a) {
  text <- function(x) format(as.numeric(x), scientific = FALSE, trim = TRUE, digits = 15)
  values <- switch(a$kind,
    boolean = c("false", "true"),
    category = unlist(a$values),
    {
      edges <- as.numeric(c(a$between[[1]], unlist(a$edges)))
      last <- as.numeric(a$between[[2]])
      if (a$kind == "integer") {
        ends <- c(edges[-1] - 1, last)
        ifelse(edges == ends, text(edges), paste0(text(edges), "-", text(ends)))
      } else {
        ends <- c(edges[-1], last)
        paste0("[", vapply(edges, text, ""), ", ", vapply(ends, text, ""),
               c(rep(")", length(ends) - 1), "]"))
      }
    })
  c(values, if (isTRUE(a$other)) "other", if (is.null(a$missing)) "missing")
}

.hush_fraction <- function(text) {
  parts <- as.numeric(strsplit(text, "/", fixed = TRUE)[[1]])
  if (length(parts) == 2) parts[1] / parts[2] else parts[1]
}

# Variance of one released number whose scale is s times `lengths`; rounding adds 1/12.
.hush_variance <- function(law, s, lengths = 1) {
  if (s == 0) return(0 * lengths)
  if (law == "laplace") return(2 * s^2 * lengths)
  s * lengths + if (law == "rounded-gaussian") 1 / 12 else 0
}

# The constant and the m - 1 contrasts of m codes, one a row.
.hush_contrasts <- function(m) {
  gcd <- function(a, b) if (b == 0) a else gcd(b, a %% b)
  rows <- list(rep(1, m))
  waiting <- list(c(0, m))
  while (length(waiting) > 0) {
    start <- waiting[[1]][1]; stop <- waiting[[1]][2]
    waiting <- waiting[-1]
    if (stop - start > 1) {
      middle <- (start + stop + 1) %/% 2
      a <- middle - start; b <- stop - middle
      row <- rep(0, m)
      row[(start + 1):middle] <- b / gcd(a, b)
      row[(middle + 1):stop] <- -a / gcd(a, b)
      rows <- c(rows, list(row))
      waiting <- c(waiting, list(c(start, middle)), list(c(middle, stop)))
    }
  }
  do.call(rbind, rows)
}

hush_crosstab <- function(hush, columns, confidence = 0.95) {
  unknown <- setdiff(columns, names(hush$labels))
  if (length(unknown)) stop("no column ", unknown[1], "; there are ", toString(names(hush$labels)), call. = FALSE)
  kind <- hush$manifest$model$kind
  cells <- switch(kind,
    `low-order` = .hush_low_order(hush, columns),
    histogram = .hush_histogram(hush, columns),
    stop("this script reads low-order and histogram, not ", kind, call. = FALSE))
  # The last column changes fastest, as in the file.
  groups <- rev(expand.grid(rev(hush$labels[columns]), KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE))
  half <- stats::qnorm((1 + confidence) / 2) * cells$stderr
  cbind(groups, share = cells$share, stderr = cells$stderr, low = cells$share - half, high = cells$share + half)
}

.hush_low_order <- function(hush, columns) {
  model <- hush$manifest$model$parameters
  numbers <- hush$numbers$interactions
  if (!identical(model$basis, "contrast")) stop("this script reads the basis contrast alone", call. = FALSE)
  if (model$law == "laplace") stop("this script reads interactions with Gaussian noise alone", call. = FALSE)
  sizes <- lengths(hush$labels)
  if (length(columns) > model$order) stop("at most ", model$order, " columns were released together", call. = FALSE)
  if (.hush_fraction(model$group_scales[[1]]) != 0) stop("the number of rows is not public here", call. = FALSE)
  # All sets of up to `order` attributes: by size, then by their largest member, the next largest, and so on.
  sets <- list(integer(0))
  for (size in seq_len(model$order)) {
    own <- utils::combn(length(sizes), size, simplify = FALSE)
    keys <- do.call(rbind, lapply(own, rev))
    sets <- c(sets, own[do.call(order, as.data.frame(keys))])
  }
  first <- cumsum(c(0, vapply(sets, function(s) prod(sizes[s] - 1), 0)))
  # Groups of equal noise: by how many attributes, then by their sorted sizes, number by number.
  group <- function(s) paste(sprintf("%06d", c(length(s), sort(sizes[s]))), collapse = " ")
  groups <- sort(unique(vapply(sets, group, "")))
  places <- sort(match(columns, names(hush$labels)))
  total <- variance <- array(0, sizes[places])
  for (s in Filter(function(s) all(s %in% places), sets)) {
    at <- which(vapply(sets, identical, NA, s))
    x <- numbers[first[at] + seq_len(prod(sizes[s] - 1))]
    scale <- .hush_fraction(model$group_scales[[match(group(s), groups)]])
    weights <- matrix(1, 1, 1); squares <- 1
    for (j in places) {
      all <- .hush_contrasts(sizes[j])
      m <- if (j %in% s) all[-1, , drop = FALSE] else all[1, , drop = FALSE]
      weights <- kronecker(weights, m / rowSums(m^2))
      if (j %in% s) squares <- as.vector(kronecker(squares, rowSums(m^2)))
    }
    # Columns of `weights` are the cells, the last attribute fastest; arrays of R have the first fastest.
    shape <- function(v) aperm(array(v, rev(sizes[places])), rev(seq_along(places)))
    noise <- .hush_variance(model$law, scale, squares)
    total <- total + shape(as.vector(x %*% weights))
    variance <- variance + shape(as.vector(noise %*% weights^2))
  }
  asked <- match(match(columns, names(hush$labels)), places)
  flat <- function(a) as.vector(aperm(aperm(a, asked), rev(seq_along(asked)))) / numbers[1]
  list(share = flat(total), stderr = sqrt(as.vector(aperm(aperm(variance, asked), rev(seq_along(asked))))) / numbers[1])
}

.hush_histogram <- function(hush, columns) {
  model <- hush$manifest$model$parameters
  rows <- model$rows
  if (is.null(rows)) stop("the number of rows is not public here", call. = FALSE)
  sizes <- lengths(hush$labels)
  cells <- hush$numbers$cells
  table <- array(cells + (rows - sum(cells)) / length(cells), rev(sizes))
  margin <- apply(table, length(sizes) + 1 - match(rev(columns), names(hush$labels)), sum)
  summed <- length(cells) / length(margin)
  each <- .hush_variance(model$law, .hush_fraction(model$scale))
  # The noise of the whole table is known to be 0, so that a part of the cells has that much less.
  stderr <- sqrt(each * summed * (1 - summed / length(cells)))
  list(share = as.vector(margin) / rows, stderr = rep(stderr / rows, length(margin)))
}

# Rows with replicate weights as a design of the survey package.
hush_survey <- function(path) {
  rows <- utils::read.csv(path)
  count <- sum(grepl("^weight_[0-9]+$", names(rows)))
  survey::svrepdesign(data = rows, weights = ~weight, repweights = "^weight_[0-9]+$", type = "other",
                      combined.weights = TRUE, scale = 1 / count, rscales = rep(1, count), mse = TRUE)
}
