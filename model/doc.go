// Package model assembles layers and pools into the models of the paper and its
// baselines. A model maps a batch to an Output; it knows no data set, no task
// and no file.
//
// A model has a constructor, such as NewHyperDrop, that takes the widths of the data and
// a typed config with the settings that the model reads. Specs lists all of them: Find
// gives the Spec of one, Spec.Config its default settings, Config.At, Reads and Default
// handle settings by name, and Spec.New builds the model. Adding a model is a file and a
// row of the registry.
package model
