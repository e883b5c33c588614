// Package task turns a data set, a model and settings into a trained run. Each task is
// a file and an entry in Tasks.
//
// The path is the same for every task:
//
//	Request -> Open (read data, resolve settings, split) -> Session
//	Session.Train (package train does the loop) -> run folder
//	Load(run folder) -> Session -> Evaluate, Predict, Embed
//
// The items that a task predicts for are graphs (classify.go, multilabel.go,
// regress.go), the nodes of one graph (nodes.go), the edges of one graph (edges.go)
// or the edges of many graphs (reconstruct.go). A task says what the model's output
// means: how wide it is, the loss, the scores and the columns of a prediction.
//
// A Source reads data of one kind (graphs.go, tables.go, nodelink.go) and divides them
// into parts. Settings (settings.go, datasettings.go) hold every decision behind a run;
// they are written to config.yaml and into the metadata of the weights, and a run is
// opened from them alone. Options (options.go) is the table of those that users give.
//
// The package parses no flags and prints nothing; progress is reported through
// the hooks of package train.
package task
