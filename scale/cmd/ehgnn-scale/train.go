package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/taskflags"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/sample"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
	"github.com/ehgnn/ehgnn/train"
)

// trainFlags are the flags of train that are no settings of ehgnn.
type trainFlags struct {
	task, model, out, index string
	resume                  bool
	sampling                settings.Sampling
	memory                  memory.Size
	refused                 map[string]*string
}

func newTrain(a *app) *cobra.Command {
	t := &trainFlags{refused: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "train [STORE]",
		Short: "Train a model on sampled neighbourhoods",
		Long: `Train a model of edges on a store that ehgnn-scale pack made, and write a run folder, which
ehgnn and ehgnn-scale use as any other. Memory does not grow with the graph.

A step learns from --batch training edges. Each layer reads at most --neighbours ends of edges at
either node of an edge, drawn uniformly, without replacement, from all there: a number for each layer, the
first layer first, or one for all; -1 reads all. The edge itself is always read exactly. An
epoch is --steps steps, after which the validation part is predicted for exactly, over the whole
graph. The training graph has no edge of validation or test. Defaults are those of ehgnn train,
but for 20 epochs.

Models: ` + strings.Join(visit.Models(), ", ") + `. --label-context, --structure, --time-features and
--members have to be off, none or 1.

--resume --out RUN goes on with all settings of RUN.`,
		Example: `  ehgnn-scale train payments.store --neighbours 15,10 --layers 2 --out runs/p
  ehgnn-scale train payments.store --steps 2000 --epochs 20 --batch 4096 --out runs/p
  ehgnn-scale train --resume --out runs/p`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return t.run(a, cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&t.task, "task", "", "edge-classification or edge-regression (default: what the labels of the store are)")
	f.StringVar(&t.model, "model", "", "one of those above (default "+visit.Models()[0]+")")
	f.StringVar(&t.out, "out", "", "run folder (default runs/STORE-MODEL)")
	f.BoolVar(&t.resume, "resume", false, "continue the run in --out from its checkpoint")
	f.StringVar(&t.index, "index", "", "folder of the files that steps read, made where there is none (default: sampling in STORE)")
	f.IntVar(&t.sampling.Batch, "batch", 0, "training edges of a step (default 1024)")
	f.IntVar(&t.sampling.Steps, "steps", 0, "steps of an epoch (default: as many as take each training edge once)")
	f.IntSliceVar(&t.sampling.Neighbours, "neighbours", nil, "ends of edges that a layer reads at a node, as `15,10`, -1 for all (default 10)")
	f.BoolVar(&t.sampling.ExcludeSeeds, "exclude-seeds", false, "hide the edges of a step from each other, each reading itself alone")
	f.Var(&t.memory, "memory", "memory that a validation may take, as 2GiB (default: half of what is free)")
	taskflags.AddIf(f, sampledOption)
	for name, only := range refusedSettings {
		t.refused[name] = f.String(name, only, "")
		f.Lookup(name).Hidden = true
	}
	t.refused["cut"] = f.String("cut", "none", "")
	f.Lookup("cut").Hidden = true
	return cmd
}

// sampledOption reports whether a setting applies to training on samples.
func sampledOption(o settings.Option) bool {
	switch o.Of {
	case settings.OfTask:
		return true
	case settings.OfModel:
		return slices.Contains([]string{"hidden", "edge-hidden", "layers", "dropout"}, o.Name)
	case settings.OfTrain:
		return o.Name != "batch-size" && o.Name != "node-lr"
	}
	return false
}

// refusedSettings are settings of ehgnn that are not available here, each with the value that means
// the same.
var refusedSettings = map[string]string{"label-context": "off", "structure": "none", "time-features": "off", "members": "1", "encode": "false"}

// whyRefused has the reasons.
var whyRefused = map[string]string{
	"label-context": "labels of other edges as inputs are counted over the whole graph, anew in each step",
	"structure":     "columns of structure need the whole graph at once",
	"time-features": "columns of time need all earlier edges of a node",
	"members":       "one model is trained at a time; train with other seeds instead",
	"encode":        "features enter as they are packed",
}

// refuse returns an error for a setting that is not available, with its name and the reason.
func (t *trainFlags) refuse() error {
	if v := *t.refused["cut"]; v != "none" {
		return settings.Misuse("--cut is %q: cuts at each edge's time, where an edge reads only what was before it, need a graph of its own for each edge; split by time instead, when packing", v)
	}
	for name, only := range refusedSettings {
		if v := *t.refused[name]; v != only {
			return settings.Misuse("--%s is %q, expected %q: %s; ehgnn train has it, for graphs that fit into memory", name, v, only, whyRefused[name])
		}
	}
	return nil
}

func (t *trainFlags) run(a *app, cmd *cobra.Command, args []string) error {
	if err := t.refuse(); err != nil {
		return err
	}
	r, err := t.request(a, cmd, args)
	if err != nil {
		return err
	}
	st, err := store.Open(r.Path)
	if err != nil {
		return err
	}
	reading := a.progress(st.Manifest.Blocks, "block")
	tr, err := sample.Open(cmd.Context(), sample.Options{Store: st, Request: r, Sampling: t.sampling, Index: t.index, Memory: int64(t.memory),
		Progress: func(done, total int) { reading.At(done, total, "index of the training graph") }})
	reading.Finish()
	if err != nil {
		return err
	}
	defer tr.Close()
	set := &tr.Session.Settings
	if t.out == "" {
		t.out = filepath.Join("runs", strings.TrimSuffix(strings.ToLower(set.Data.Name), ".store")+"-"+set.ModelName)
	}
	cfg := set.Train
	p := a.progress(cfg.Epochs, "epoch")
	res, err := tr.Train(cmd.Context(), session.TrainOptions{Dir: t.out, Resume: t.resume, Command: strings.Join(append([]string{"ehgnn-scale"}, a.args...), " "),
		OnEpoch: func(e train.EpochInfo) { p.At(e.Epoch, cfg.Epochs, epochText(e)) }})
	p.Finish()
	if err != nil {
		if res != nil && res.Interrupted {
			a.remark("ehgnn-scale: state saved in %s; ehgnn-scale train --resume --out %s continues it", t.out, t.out)
		}
		return err
	}
	return a.emit(res, res.Text)
}

func epochText(e train.EpochInfo) string {
	text := fmt.Sprintf("loss %.4f", e.TrainLoss)
	for _, s := range e.Valid {
		text += fmt.Sprintf("  valid %s %.4f", strings.ReplaceAll(s.Name, "_", " "), s.Value)
	}
	return text
}

// request returns the settings: the flags, over the settings of a resumed run if there is one.
func (t *trainFlags) request(a *app, cmd *cobra.Command, args []string) (r session.Request, err error) {
	f := cmd.Flags()
	switch {
	case t.resume && t.out == "":
		return r, settings.Misuse("--resume needs --out, the run to continue")
	case t.resume:
		given := t.sampling
		if r, t.sampling, err = session.ReadSampled(t.out); err != nil {
			return r, err
		}
		t.sampling = t.over(f, given)
	case len(args) == 0:
		return r, settings.Misuse("no STORE to train on; usage: %s", cmd.UseLine())
	}
	for name, v := range map[string]int{"batch": t.sampling.Batch, "steps": t.sampling.Steps} {
		if f.Changed(name) {
			if err := atLeast(name, v, 1); err != nil {
				return r, err
			}
		}
	}
	r.Defaults, r.Given = r.Given, taskflags.Given(f)
	for name := range refusedSettings {
		delete(r.Given, name)
	}
	if err := r.Given.Validate(); err != nil {
		return r, err
	}
	if f.Changed("seed") || r.Path == "" {
		r.Seed = a.seed
	}
	r.Threads = a.threads
	if f.Changed("task") {
		r.Task = t.task
	}
	if f.Changed("model") {
		r.Model = t.model
	}
	if len(args) > 0 {
		r.Path = args[0]
	}
	return r, nil
}

// over returns the sampling settings of a run, replaced by the given flags.
func (t *trainFlags) over(f *pflag.FlagSet, given settings.Sampling) settings.Sampling {
	out := t.sampling
	if f.Changed("batch") {
		out.Batch = given.Batch
	}
	if f.Changed("steps") {
		out.Steps = given.Steps
	}
	if f.Changed("neighbours") {
		out.Neighbours = given.Neighbours
	}
	if f.Changed("exclude-seeds") {
		out.ExcludeSeeds = given.ExcludeSeeds
	}
	return out
}
