// Package model assembles layers and pools into the models of the paper and its baselines. A model
// maps a batch to an Output. It does not depend on data sets, tasks or files.
//
// A model has a constructor, such as NewHyperDrop, that takes the widths of the data and a typed
// config with its settings. Specs lists all models. Find returns the Spec of one, Spec.Config its
// default settings, and Spec.New builds the model. Config.At, Reads and Default handle settings by
// name. A new model needs a file and a row in the registry.
package model
