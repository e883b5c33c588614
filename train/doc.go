// Package train is the supervised training loop of all tasks: batches, steps, validation, early
// stopping, checkpoints and records. It has no tasks, no model names and no command line, and
// prints nothing.
//
// # Problem, Config, Fit
//
// A Problem is what is learned: a model, a loss on a batch and, if other scores than the loss are
// needed, a Scorer. A Config says how: epochs, batch size, optimiser, schedule, early stopping. Fit
// trains on graphs and returns a Result, with the best weights in the model. Evaluate scores a
// trained model. ForEachBatch runs it over graphs for predictions.
//
// One step is: forward pass on a tape, gradient, Options.Gradients if there is one, clipping of the
// global norm, one update with the scheduled learning rate. After the last batch of an epoch the
// validation graphs are scored. Monitor decides whether the epoch is the best so far and whether
// patience has run out. Without validation graphs the training loss is compared. With
// Config.Average an exponential moving average of the weights is scored and kept instead of the
// weights; training never reads it. A training set that fits in one batch, such as a single large
// graph, is collated once. Otherwise a goroutine collates batches of a shuffled order, a few before
// they are needed. FitStream trains on batches that are not made of graphs in memory, such as
// samples of a graph in files.
//
// # Determinism
//
// The numbers of a run depend only on the problem, the graphs, the Config and Options.Gradients.
// The order of epoch e comes from the stream ("shuffle", e) of the seed and the randomness of step
// s from ("step", s). So no generator has a state to save, and threads, prefetching, callbacks and
// the interval of checkpoints cannot change a bit. Sums over batches are formed in float64 in the
// order of batches.
//
// # Checkpoints
//
// A checkpoint is one file, checkpoint.safetensors: weights, their average, best weights and the
// optimiser's state as tensors, and all other state (position, best score, patience, history) as
// JSON in the metadata, with a digest over both. One rename replaces the file, so a kill at any
// time leaves the old or the new checkpoint, never a mixture. state.json repeats the JSON for
// people and scripts. Nothing reads it again. After a kill it may be one checkpoint older; its
// digest shows this.
//
// A checkpoint may be written at any step of an epoch: the position is part of it. A resumed run
// ends with the same bits as one that was never interrupted. Resume is refused with a Config or
// with data that would change the numbers.
//
// # Errors
//
// If a loss, gradient or weight is not finite, the run ends with *DivergedError, and the checkpoint
// on disk stays the last good one. When the context is cancelled, the current step is undone, or
// finished if parameters are already being updated. Then a checkpoint is written and the partial
// result is returned with an error that wraps ctx.Err(). Shape bugs in the model, which panic, are
// returned as errors that wrap *tensor.ShapeError.
package train
