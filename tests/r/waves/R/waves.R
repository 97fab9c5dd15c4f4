# Sums of TERMS sines of each of the values.
waves <- function(values, terms) .Call(waves_of, as.double(values), as.integer(terms))
