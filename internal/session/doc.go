// Package session turns data, a model and settings into a trained run, and uses it.
//
// The path is the same for every task:
//
//	Request -> Open (read data, divide them, resolve settings, build the model) -> Session
//	Session.Train (package train does the loop) -> run folder
//	Load (run folder, its data or others) -> Session -> Evaluate, Predict, Embed
//
// Settings hold everything that determines a run, resolved. They are written to config.yaml and to
// the metadata of the weights, and are enough to open a run. No default depends on the name of a
// data set. Package source resolves settings that are auto.
//
// The package imports settings, source and task. It does not parse flags or print; hooks of package
// train report progress.
package session
