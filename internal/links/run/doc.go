// Package run trains and uses a run of link prediction.
//
//	Read   tables -> Data: pairs, features of nodes, split, remarks
//	Train  models, the choice among them on the validation part, tables of the test part
//	Load   a run folder: the same data read again, the weights
//	Score, Recommend, Evaluate  on what was loaded
//
// The folder of a run has links.json, the settings; model.safetensors, the weights; metrics.json, all
// tables; report.html; and while a network is trained checkpoint.safetensors, from which it is resumed.
package run
