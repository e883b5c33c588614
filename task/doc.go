// Package task turns a data set, a model and settings into a trained run, and uses it.
//
// The path is the same for every task:
//
//	Request -> Open (read data, divide them, resolve settings, build the model) -> Session
//	Session.Train (package train does the loop) -> run folder
//	Load (run folder, its data or others) -> Session -> Evaluate, Predict, Embed
//
// Three lists say what there is; each entry is a file and a line:
//
//   - Sources read data of one kind, divide them into parts and name their items.
//   - Tasks say what a model's output means: how wide it is, the loss, the scores and the
//     columns of a prediction, for items that are graphs, nodes or edges.
//   - Options are the settings that a user may give: flags, keys of files and help are made
//     from them. A setting that a run would not read is refused.
//
// Settings hold everything that decides a run, resolved: they are written to
// config.yaml and into the metadata of the weights, and a run is opened from
// them alone. No default depends on the name of a data set.
//
// The package parses no flags and prints nothing; progress is reported through
// the hooks of package train.
package task
