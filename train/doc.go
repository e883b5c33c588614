// Package train is the supervised loop that every task uses: batches, steps,
// validation, early stopping, checkpoints and records. It knows no task, no model
// names and no command line, and prints nothing.
//
// # Problem, Config, Fit
//
// A Problem is what is learnt: a model, a loss on a batch and, where the loss
// is not the only number of interest, a Scorer. A Config is how: epochs, batch
// size, optimiser, schedule, early stopping. Fit trains on graphs and returns a
// Result, with the best weights in the model. Evaluate scores a trained model,
// ForEachBatch runs it over graphs for predictions.
//
// One step is: forward pass on a tape, gradient, Options.Gradients if there is one,
// clipping of the global norm, one update with the scheduled learning rate. After the
// last batch of an epoch the validation graphs are scored, and Monitor decides whether
// the epoch is the best so far and whether patience has run out. Without validation
// graphs the training loss is compared. With Config.Average an exponential average of the
// weights, which training never reads, is scored and kept in their place. A training set
// that fits one batch, such as a single large graph, is collated once; otherwise batches of
// a shuffled order are collated by a goroutine, a few ahead of their use. FitStream trains
// on batches that are no graphs in memory, such as samples of a graph in files.
//
// # Determinism
//
// The numbers of a run are a function of the problem, the graphs, the Config and
// Options.Gradients. The order of epoch e comes from the stream ("shuffle", e) of the
// seed and the randomness of step s from ("step", s), so no generator has a state to
// save, and neither threads, prefetching, callbacks nor the cadence of checkpoints can
// change a bit. Sums over batches are formed in float64 in the order of batches.
//
// # Checkpoints
//
// A checkpoint is one file, checkpoint.safetensors: weights, their average, best weights and
// the optimiser's state as tensors, everything else (position, best score, patience,
// history) as JSON in the metadata, with a digest over both. It is replaced by one
// rename, so a kill at any moment leaves the old or the new checkpoint, never a
// mixture. state.json repeats the JSON for people and scripts. Nothing reads it back;
// after a kill it may be one checkpoint behind, which its digest shows.
//
// A checkpoint may be written anywhere in an epoch: the position is part of it. A
// resumed run ends with the same bits as one that was never interrupted. Resuming under
// a Config or with data that would change the numbers is refused.
//
// # Errors
//
// A loss, gradient or weight that is not finite ends the run with *DivergedError;
// the checkpoint on disk stays the last good one. Cancelling the context gives up
// the step under way as if it had not begun (or finishes it, once parameters are being
// updated), writes a checkpoint and returns the partial result with an error that wraps
// ctx.Err(). Shape bugs inside the model, which panic, come back as errors
// that wrap *tensor.ShapeError.
package train
