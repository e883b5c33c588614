package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/internal/didyoumean"
)

// synonyms are flags of other programs, with the flag of this program that has the same meaning.
var synonyms = map[string]string{
	"learning-rate": "lr", "eta": "lr", "l-rate": "lr", "step-size": "lr",
	"batch": "batch-size", "bs": "batch-size", "minibatch-size": "batch-size", "train-batch-size": "batch-size",
	"epoch": "epochs", "num-epochs": "epochs", "n-epochs": "epochs", "max-epochs": "epochs", "n-iter": "epochs", "max-iter": "epochs", "iterations": "epochs",
	"hidden-dim": "hidden", "hidden-size": "hidden", "hidden-channels": "hidden", "hidden-units": "hidden", "num-hidden": "hidden", "embedding-dim": "hidden", "emb-dim": "hidden", "dim": "hidden", "width": "hidden",
	"num-layers": "layers", "n-layers": "layers", "num-layer": "layers", "depth": "layers", "max-depth": "layers",
	"num-heads": "heads", "n-heads": "heads", "drop-ratio": "dropout", "dropout-rate": "dropout", "wd": "weight-decay", "l2": "weight-decay",
	"early-stopping": "patience", "early-stop": "patience", "early-stopping-rounds": "patience", "optim": "optimizer", "optimiser": "optimizer", "opt": "optimizer",
	"random-state": "seed", "random-seed": "seed", "n-jobs": "threads", "num-workers": "threads", "workers": "threads", "jobs": "threads", "cpus": "threads", "num-threads": "threads",
	"output": "out", "output-dir": "out", "out-dir": "out", "output-file": "out", "save-dir": "out", "save": "out", "logdir": "out", "log-dir": "out", "run-dir": "out",
	"label-column": "label", "target-column": "label", "y": "label", "label-col": "label", "src": "source", "dst": "target",
	"train-split": "fractions", "split-ratio": "fractions", "test-size": "fractions", "val-split": "fractions", "k-folds": "folds", "n-folds": "folds", "num-folds": "folds", "cv": "folds", "fold-idx": "fold", "fold-index": "fold",
	"seeds": "repeat", "num-seeds": "repeat", "n-seeds": "repeat", "runs": "repeat", "n-runs": "repeat", "num-runs": "repeat", "repeats": "repeat",
	"ensemble": "members", "n-models": "members", "max-time": "quality", "time-limit": "quality", "presets": "quality", "preset": "quality",
	"cutoff": "threshold", "decision-threshold": "threshold", "gnn": "model", "arch": "model", "architecture": "model", "model-name": "model", "gnn-type": "conv", "pooling": "readout", "graph-pooling": "readout",
	"k": "top", "limit": "top", "head": "top", "n": "top", "sort-by": "sort", "explain": "why", "reason": "why", "port": "addr", "host": "addr", "bind": "addr",
	"verbose": "log-level", "debug": "log-level", "silent": "quiet", "checkpoint": "resume", "continue": "resume", "ema": "average-weights", "memory-limit": "max-memory", "cols": "ignore", "exclude": "ignore", "drop": "ignore",
}

// answers are hints for flags of other programs that have no equivalent here.
var answers = map[string]string{
	"device": "it computes on the processor; --threads says on how many cores", "gpu": "it computes on the processor; --threads says on how many cores",
	"gpus": "it computes on the processor; --threads says on how many cores", "cuda": "it computes on the processor; --threads says on how many cores",
	"no-cuda": "it computes on the processor", "accelerator": "it computes on the processor; --threads says on how many cores",
	"n-estimators": "the number of trees is chosen on the validation set; --quality says how long it may take", "num-boost-round": "the number of trees is chosen on the validation set; --quality says how long it may take",
	"num-leaves": "the trees are chosen on the validation set; --quality says how long it may take", "data": "DATA is no flag: ehgnn train DATA", "dataset": "DATA is no flag: ehgnn train DATA", "input": "DATA is no flag: ehgnn train DATA", "data-path": "DATA is no flag: ehgnn train DATA", "train": "DATA is no flag: ehgnn train DATA",
}

// unknownFlag is the error for an unknown flag of a command, with the flag that was probably meant.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	if err.GetSpecifiedShortnames() != "" {
		return err
	}
	dashed := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	var have []string
	for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.InheritedFlags()} {
		set.VisitAll(func(f *pflag.Flag) { have = append(have, f.Name) })
	}
	is := func(flag string) bool { return slices.Contains(have, flag) }
	if use := synonyms[dashed]; !is(dashed) && is(use) {
		return fmt.Errorf("unknown flag --%s: use --%s", name, use)
	}
	if why := answers[dashed]; why != "" && !is(dashed) {
		return fmt.Errorf("unknown flag --%s: %s", name, why)
	}
	if near := didyoumean.Name(dashed, have, 2); near != "" {
		return fmt.Errorf("unknown flag --%s: use --%s", name, near)
	}
	return fmt.Errorf("unknown flag --%s", name)
}
