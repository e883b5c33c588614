// Package task says what the outputs of a model mean: how wide they are, the loss, the scores, what
// validation chooses after training, and the Item that a row of outputs stands for (Outputs).
//
// It imports settings, source for parts and labels, model and train. It knows no run and no file.
//
// A new task is a file with a Task and an entry of the registry in task.go.
package task
