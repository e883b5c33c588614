// Package task defines the tasks. A task gives the outputs of a model their meaning: their width,
// the loss, the scores, what is chosen on validation data after training, and the Item that a row
// of outputs represents (Outputs).
//
// It imports settings, source (for parts and labels), model and train. It does not depend on runs
// or files.
//
// A new task is a file with a Task and an entry of the registry in task.go.
package task
