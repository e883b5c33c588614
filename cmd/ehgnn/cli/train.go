package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/task"
	"github.com/ehgnn/ehgnn/train"
)

// trainFlags are the settings of a training run; those not given keep the
// default of the task and the data set.
type trainFlags struct {
	task, model, edges, format, split string
	set                               string
	fold                              int
	out                               string
	resume                            bool

	epochs, batchSize, hidden, edgeHidden, layers, patience, clusters, heads, members int
	lr, weightDecay, dropout, ratio, initGain                                         float64
	layerNorm, constant, encode, virtualNode, unnormalised, carryGradients            bool
	conv, edgeConv, edgeInit, score                                                   string

	edge   edgeFlags // of a single run
	advice string    // for the end of the run, empty for none
}

// trainer is an opened run of any task.
type trainer interface {
	Train(ctx context.Context, o task.TrainOptions) (*task.TrainResult, error)
}

func newTrain(a *app) *cobra.Command {
	t := &trainFlags{}
	cmd := &cobra.Command{
		Use:   "train DATA",
		Short: "Train a model on a data set",
		Long: `Train a model and write a run folder: the resolved settings, the best weights, a
checkpoint to resume from, metrics for every epoch and predictions for the test
part.

DATA is a data set in the form of TU, DGCNN, OGB or Planetoid (folder, zip or
file), a folder with the parts NAME_train, NAME_val and NAME_test, or the name of
a known set in the data folder. Settings that are not given are those the paper
trained the data set with, or its defaults.

Graphs with several labels, some of them missing (OGB), are scored by ROC-AUC, and
the first epoch with the highest one on the validation graphs is tested. The nodes
of Planetoid are classified with --task node-classification on the whole graph.

The edges of one graph have a class (--task edge-classification) or a number
(edge-regression) in tables of nodes and edges: a folder or zip with edges.csv and maybe
nodes.csv, or the table of edges itself, as CSV, TSV or Parquet. For tables,
edge-classification is the default. Columns are found by name, or named by the flags
that begin with "tables:"; all others are features. The flags of models of graphs do
not apply, and are refused.

` + modelHelp(),
		Example: `  ehgnn train MUTAG.zip --model hyperdrop --out runs/mutag
  ehgnn train zinc12k --model hypercluster --epochs 30 --out runs/zinc
  ehgnn train ogbg-molbbbp --model hyperdrop --out runs/bbbp
  ehgnn train cora --task node-classification --model deep-hyperdrop --layers 16
  ehgnn train payments --task edge-classification --label label --split time --out runs/p
  ehgnn train roads.csv --task edge-regression --label minutes --ignore name --model ehgnn-joint-edge
  ehgnn train MUTAG.zip --out runs/mutag --resume`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := atLeast("fold", t.fold, 1); err != nil {
				return err
			}
			s, cfg, err := t.open(a, cmd, args[0])
			if err != nil {
				return err
			}
			epochs := cfg.Epochs
			if w := cfg.Schedule.WarmupEpochs; w >= epochs {
				a.log.Warn("the run ends before the learning rate has risen to --lr; --constant-lr does without a warm-up", "warmup_epochs", w, "epochs", epochs)
			}
			p := a.progress(epochs, "epoch")
			res, err := s.Train(cmd.Context(), task.TrainOptions{Dir: t.out, Resume: t.resume, OnEpoch: p.epoch(epochs)})
			p.finish()
			if err != nil {
				switch {
				case res != nil && res.Interrupted:
					fmt.Fprintf(a.Stderr, "ehgnn: state saved in %s; the same command with --resume continues it\n", t.out)
				case res != nil && res.Stopped == train.StoppedDiverged && res.BestEpoch > 0:
					err = fmt.Errorf("%w; %s keeps the best weights before that, of epoch %d", err, t.out, res.BestEpoch)
				}
				return failure(err)
			}
			if t.advice != "" {
				a.log.Info(t.advice)
			}
			return a.emit(res, res.Text)
		},
	}
	f := cmd.Flags()
	f.StringVar(&t.out, "out", "", "run folder (default runs/DATA-MODEL)")
	f.BoolVar(&t.resume, "resume", false, "continue the run in --out from its checkpoint")
	f.StringVar(&t.task, "task", "", "task: "+strings.Join(append(task.Names(), task.EdgeTasks...), ", ")+" (default: what the model is for; edge-classification for tables)")
	f.StringVar(&t.split, "split", "", "fold (one of the data set's fixed folds), random, or given (the one that comes with the data) (default: what the data have); of edges random, time (the latest are tested) or group (default random)")
	f.IntVar(&t.fold, "fold", 1, "fixed fold that tests, 1 to 10")
	f.StringVar(&t.set, "name", "", "the set to read where DATA holds several")
	t.registerDeep(cmd)
	t.register(cmd)
	t.edge.register(cmd)
	f.Lookup("model").DefValue = "" // which is the task's
	f.Lookup("model").Usage = "model, one of those above (default: that of --task, hyperdrop without, ehgnn-edge for edges)"
	return cmd
}

// open reads the data and resolves the settings, with the folder of the run.
func (t *trainFlags) open(a *app, cmd *cobra.Command, arg string) (trainer, train.Config, error) {
	at, err := a.known(arg)
	if err != nil {
		return nil, train.Config{}, err
	}
	if t.onEdges(cmd, at.Path) {
		s, err := t.openEdges(a, cmd, at.Path)
		if err != nil {
			return nil, train.Config{}, err
		}
		t.out = cmp.Or(t.out, runFolder(s.Settings.Name, t.model))
		return s, s.Settings.Train, nil
	}
	if m := task.ModelFor(t.task); m != "" && !cmd.Flags().Changed("model") {
		t.model = m
	}
	taskName, err := t.graphTask()
	if err == nil && taskName != "" {
		err = t.checkFlags(cmd, taskName)
	}
	if err != nil {
		return nil, train.Config{}, err
	}
	if t.out == "" {
		base := filepath.Base(filepath.Clean(arg))
		if whole, err := filepath.Abs(arg); err == nil {
			base = filepath.Base(whole) // of the folder that "." is
		}
		t.out = runFolder(strings.TrimSuffix(base, filepath.Ext(base)), t.model)
	}
	t.set = cmp.Or(t.set, at.Set)
	s, err := task.Open(cmd.Context(), t.request(a, cmd, at.Path))
	if err != nil {
		if errors.Is(err, data.ErrUnknownFormat) {
			err = tablesHint(err, at.Path, "tables are for the tasks "+strings.Join(task.EdgeTasks, " and ")+" with a model of edges: "+edgeModels())
		}
		return nil, train.Config{}, usage(err)
	}
	if task.IsEdgeRun(t.out) {
		return nil, train.Config{}, usage(fmt.Errorf("%s holds a run on edges; choose another folder or remove it", t.out))
	}
	return s, s.Settings.Train.Config, nil
}

// runFolder is where a run goes that --out does not say.
func runFolder(name, modelName string) string {
	return filepath.Join("runs", strings.ToLower(name)+"-"+modelName)
}

// register adds the flags that say what to train and how, but for those of a
// single run: task and split.
func (t *trainFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&t.model, "model", "hyperdrop", "model, one of those that ehgnn train --help lists")
	f.StringVar(&t.edges, "edges", "auto", "auto (one edge for both directions where the data are symmetric), undirected or directed (each direction an edge, as in the authors' code)")
	f.StringVar(&t.format, "format", "", "format of DATA: tu, dgcnn, ogb or planetoid (default: recognised)")
	f.IntVar(&t.epochs, "epochs", 0, "passes over the training data at most")
	f.IntVar(&t.batchSize, "batch-size", 0, "graphs a step")
	f.IntVar(&t.hidden, "hidden", 0, "width of hidden layers")
	f.IntVar(&t.edgeHidden, "edge-hidden", 0, "width of edge layers (default: --hidden)")
	f.IntVar(&t.layers, "layers", 0, "layers of message passing")
	f.IntVar(&t.patience, "patience", 0, "epochs without a better validation score before stopping; 0 for none")
	f.IntVar(&t.clusters, "clusters", 0, "edge clusters of HyperCluster (default: from --ratio)")
	f.IntVar(&t.heads, "heads", 0, "attention heads")
	f.Float64Var(&t.lr, "lr", 0, "learning rate")
	f.Float64Var(&t.weightDecay, "weight-decay", 0, "L2 term")
	f.Float64Var(&t.dropout, "dropout", 0, "dropout rate")
	f.Float64Var(&t.ratio, "ratio", 0, "share of edges each HyperDrop keeps, or HyperCluster pools to (of the directed count, as the paper)")
	f.StringVar(&t.conv, "conv", "", "convolution of nodes, where the model leaves the choice: "+strings.Join(convNames(), ", "))
	f.StringVar(&t.edgeConv, "edge-conv", "", "convolution of edges on the dual (hyper, sage, gin, ...), or on the line graph as line:gcn")
	f.StringVar(&t.edgeInit, "edge-init", model.EdgesGiven, "what edge layers start from: given (their features in DATA, 1 where there are none) or endpoints (their ends after the first node layer, too)")
	f.StringVar(&t.score, "score", model.ScoreTanh, "weights of the edges that HyperDrop keeps: tanh of the score, cut off below 0 as published, or sigmoid, which is positive and learns from every edge")
	f.BoolVar(&t.virtualNode, "virtual-node", false, "between the node layers of HyperDrop, a node joined to all others of its graph")
	f.IntVar(&t.members, "members", 1, "models trained side by side, alike but for their first weights, whose predictions are averaged")
	f.BoolVar(&t.encode, "encode", false, "embed node and edge features first, a learned vector per category, summed (atom and bond encoders)")
	f.BoolVar(&t.layerNorm, "layer-norm", false, "layer norm in attention blocks")
	f.BoolVar(&t.constant, "constant-lr", false, "no warm-up and no cosine schedule")
}

// registerDeep adds what only the deep networks of node classification read, among
// it what the authors' code does by mistake.
func (t *trainFlags) registerDeep(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Float64Var(&t.initGain, "init-gain", 1, "deep networks: factor of the node layers' initial weights; 1.4142 makes up for what ReLU cuts off (He)")
	f.BoolVar(&t.unnormalised, "unnormalised", false, "deep-hyperdrop: before the first drop sum neighbours without degrees, as the authors' code does")
	f.BoolVar(&t.carryGradients, "carry-gradients", false, "never zero gradients, as the authors' node classification does: a kind of momentum")
}

// request collects the flags; only those given override a default.
func (t *trainFlags) request(a *app, cmd *cobra.Command, path string) task.Request {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	return task.Request{
		Path: path, Set: t.set, Task: t.task, Model: t.model, Edges: t.edges, Format: t.format, Split: t.split, Fold: t.fold,
		Seed: a.seed, Threads: a.threads,
		Overrides: task.Overrides{
			Epochs: optional(given("epochs"), &t.epochs), BatchSize: optional(given("batch-size"), &t.batchSize),
			Hidden: optional(given("hidden"), &t.hidden), EdgeHidden: optional(given("edge-hidden"), &t.edgeHidden),
			Layers: optional(given("layers"), &t.layers), Patience: optional(given("patience"), &t.patience),
			Clusters: optional(given("clusters"), &t.clusters), Heads: optional(given("heads"), &t.heads),
			LR: optional(given("lr"), &t.lr), WeightDecay: optional(given("weight-decay"), &t.weightDecay),
			Dropout: optional(given("dropout"), &t.dropout), Ratio: optional(given("ratio"), &t.ratio),
			Members: optional(given("members"), &t.members), InitGain: optional(given("init-gain"), &t.initGain),
			LayerNorm: optional(given("layer-norm"), &t.layerNorm), Constant: optional(given("constant-lr"), &t.constant),
			Conv: optional(given("conv"), &t.conv), EdgeConv: optional(given("edge-conv"), &t.edgeConv),
			EdgeInit: optional(given("edge-init"), &t.edgeInit), Score: optional(given("score"), &t.score),
			VirtualNode:    optional(given("virtual-node"), &t.virtualNode),
			Encode:         optional(given("encode"), &t.encode),
			Unnormalised:   optional(given("unnormalised"), &t.unnormalised),
			CarryGradients: optional(given("carry-gradients"), &t.carryGradients),
		},
	}
}

// optional is v when ok, else nil.
func optional[T any](ok bool, v *T) *T {
	if ok {
		return v
	}
	return nil
}

func convNames() []string {
	names := make([]string, len(nn.Convs))
	for i, s := range nn.Convs {
		names[i] = s.Name
	}
	return names
}

// modelHelp lists the models with the paper behind each.
func modelHelp() string {
	var b strings.Builder
	width := 0
	for _, s := range slices.Concat(model.Registry, model.EdgeLevel) {
		width = max(width, len(s.Name))
	}
	list := func(title string, specs []model.Spec) {
		b.WriteString(title)
		for _, s := range specs {
			fmt.Fprintf(&b, "  %-*s  %s\n  %-*s  %s\n", width, s.Name, s.Title, width, "", s.Paper)
		}
	}
	list("Models:\n", model.Registry)
	list("\nModels of edges, for edge-classification and edge-regression:\n", model.EdgeLevel)
	return strings.TrimRight(b.String(), "\n")
}

// writeLines prints lines until one fails.
func writeLines(w io.Writer, lines ...string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return nil
}
