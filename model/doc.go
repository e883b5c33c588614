// Package model assembles layers and pools into the models of the paper and its
// baselines. A model maps a batch to an Output; it knows no data set, no task
// and no file. Adding one is a file and a line in the registry.
package model
