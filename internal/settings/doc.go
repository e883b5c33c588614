// Package settings is the table of settings of a run: names, types, defaults of data, help, and
// how they are written to config.yaml and read again.
//
// It imports model and train for their configurations and the packages of data for their words.
// It knows no data, no task and no run: Kind says by value what a task predicts.
//
// A new setting is a field of Settings, or of a configuration of model or train, and a row of
// Options.
package settings
