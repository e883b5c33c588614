// Package settings is the table of settings of a run: names, types, defaults of data, help, and how
// they are written to config.yaml and read again.
//
// It imports model and train for their configurations, and the data packages for their option
// values. It does not depend on data, tasks or runs: a value of type Kind says what a task
// predicts.
//
// A new setting is a field of Settings, or of a configuration of model or train, plus a row of
// Options.
package settings
