// Package session turns data, a model and settings into a trained run, and uses it.
//
// The path is the same for every task:
//
//	Request -> Open (read data, divide them, resolve settings, build the model) -> Session
//	Session.Train (package train does the loop) -> run folder
//	Load (run folder, its data or others) -> Session -> Evaluate, Predict, Embed
//
// Settings hold everything that decides a run, resolved: they are written to config.yaml and into
// the metadata of the weights, and a run is opened from them alone. No default depends on the name
// of a data set. A setting left on auto is resolved by the rules of package source.
//
// The package imports settings, source and task. It parses no flags and prints nothing; progress is
// reported through the hooks of package train.
package session
