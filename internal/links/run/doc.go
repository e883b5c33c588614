// Package run trains and uses a run of link prediction.
//
//	Read   tables -> Data: pairs, features of nodes, split, remarks
//	Train  models, the choice among them on the validation part, tables of the test part
//	Load   a run folder: the same data read again, the weights
//	Score, Recommend, Evaluate  use a loaded run
//
// The folder of a run has the settings in links.json, the weights in model.safetensors, all tables
// in metrics.json, and report.html. While a network is trained it also has
// MODEL-checkpoint.safetensors, from which the training can be resumed.
package run
