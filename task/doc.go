// Package task turns a data set, a model and settings into a trained run: one
// file per task, one line in the registry.
//
// The path is the same for every task:
//
//	Request -> Open (read data, resolve settings, split) -> Session
//	Session.Train (package train does the loop) -> run folder
//	Load(run folder) -> Session -> Evaluate, Predict, Embed
//
// The items of a task are graphs, their edges, or the nodes of one graph. Graphs
// have one class (classify.go), several labels of which some may be missing
// (multilabel.go) or numbers (regress.go); a part of a graph's nodes is the graph
// with the classes of its other nodes hidden (nodes.go).
//
// Settings hold everything that decides a run, resolved: they are written to
// config.yaml and into the metadata of the weights, and a run is opened from
// them alone. A task says what the model's output means: how wide it is, the
// loss, the scores and the columns of a prediction.
//
// The package parses no flags and prints nothing; progress is reported through
// the hooks of package train.
package task
