package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/train"
)

// Options is the table of all settings that a user may give.
func Options() []Option { return slices.Clone(registry) }

// Register adds a setting at the end until remove is called. Tests use it to check what a new setting needs.
func Register(o Option) (remove func()) {
	before := registry
	registry = append(Options(), o)
	return func() { registry = before }
}

// A new setting is a field in Settings and a row here. Values are applied in this order, so a row may use the
// values of rows above it.
var registry = []Option{
	of(OfData, "format", "format of DATA: "+strings.Join(Formats(), ", ")+" (default: recognised)",
		func(s *Settings) *string { return &s.Data.Format }).Where(oneOf(Formats()...)),
	of(OfData, "name", "set to read, if DATA holds several",
		func(s *Settings) *string { return ifGraphs(s, func(g *GraphSettings) *string { return &g.Set }) }),
	of(OfData, "edges", "auto (one edge for both directions if the data, and labels of bonds, are symmetric), undirected, directed (each direction is an edge, as in the authors' code), or for tables bipartite (ids of sources and of targets identify different things: user 5 is not item 5)",
		func(s *Settings) *string { return &s.Data.Edges }).Where(oneOf(EdgesAuto, EdgesUndirected, EdgesDirected, EdgesBipartite)),

	ofTables("nodes", "file of the nodes, in the folder of the edges, or two files, one for each end, separated by commas or repeated; - for none (default: nodes.csv or similar, if it exists)",
		func(c *TableSettings) *[]string { return (*[]string)(&c.NodesFiles) }),
	ofTables("node-id", "column with the ids of the nodes (default: id, node or node_id, else the only column with all ids of the edges)",
		func(c *TableSettings) *string { return &c.NodeID }),
	ofTables("source", "column of the source of edges (default: source, src, from, sender, ...)",
		func(c *TableSettings) *string { return &c.From }),
	ofTables("target", "column of the target of edges (default: target, dst, to, receiver, ...)",
		func(c *TableSettings) *string { return &c.To }),
	ofColumns("label", "tables: column to predict, of the edges or, with --task node-classification, of the nodes, or several, separated by commas, with a run for each (default: label, class, y, or target if it is not an end); molecules: one or more columns, separated by commas, with a value or a list in each row (default: all suitable columns)",
		func(m *MoleculeSettings) *string { return &m.Label }, func(c *TableSettings) *string { return &c.Label }),
	ofTables("time", "column of times, - for none (default: time, timestamp, datetime or date)",
		func(c *TableSettings) *string { return &c.Time }),
	ofColumns("group", "tables: column of groups, for --split group, - for none (default: group; none for molecules)",
		func(m *MoleculeSettings) *string { return &m.Group }, func(c *TableSettings) *string { return &c.Group }),
	ofColumns("part", "tables: column with the part of each labelled edge, node or molecule: train, valid (validation, val, dev) and test, or 0, 1 and 2; implies --split column",
		func(m *MoleculeSettings) *string { return &m.Part }, func(c *TableSettings) *string { return &c.Part }),
	ofTables("graph", "column of the graph within which ids are unique, - for none (default: graph or graph_id)",
		func(c *TableSettings) *string { return &c.Graph }),
	ofColumns("ignore", "tables: columns not to read, separated by commas or repeated",
		func(m *MoleculeSettings) *[]string { return &m.Ignore }, func(c *TableSettings) *[]string { return &c.Ignore }),
	ofTables("categories", "columns whose numbers are names, such as codes, or whose texts a|b are single categories, separated by commas or repeated",
		func(c *TableSettings) *[]string { return &c.Categories }),
	ofTables("feature", "columns that are features although nearly all of their values are different, like ids, separated by commas or repeated",
		func(c *TableSettings) *[]string { return &c.Features }),
	ofTables("missing", "words for missing values, in addition to NA, null, None and the like; a minus sign (-NA) makes such a word a value; separated by commas or repeated",
		func(c *TableSettings) *[]string { return &c.Missing }),
	ofTables("decimal", "decimal mark of numbers in text, point or comma (default: found from the values of each column)",
		func(c *TableSettings) *string { return &c.Decimal }).Where(readBy(schema.DecimalOf)),
	ofTables("time-format", "notation of times in text: day-first, month-first, unix, unix-ms, unix-us, unix-ns, excel or directives of strptime, such as `%d.%m.%Y` (default: found from the values)",
		func(c *TableSettings) *string { return &c.TimeFormat }).Where(readBy(schema.TimeFormatOf)),
	ofTables("sheet", "sheet of an .xlsx workbook (default: the first)",
		func(c *TableSettings) *string { return &c.Sheet }),

	of(OfData, "smiles", "molecules: column of the SMILES (default: smiles, canonical_smiles, isomeric_smiles or mol)",
		func(s *Settings) *string {
			return ifMolecules(s, func(m *MoleculeSettings) *string { return &m.Column })
		}),
	of(OfData, "explicit-hydrogens", "molecules: hydrogens are atoms, after those of the SMILES (default: they are counted at their atoms)",
		func(s *Settings) *bool {
			return ifMolecules(s, func(m *MoleculeSettings) *bool { return &m.Hydrogens })
		}),
	of(OfData, "on-invalid", "molecules: rows with an invalid SMILES, or with a list of labels of the wrong length, are left out and listed (mark), left out (skip) or an error (fail) (default mark)",
		func(s *Settings) *string {
			return ifMolecules(s, func(m *MoleculeSettings) *string { return &m.OnInvalid })
		}).Where(oneOf(smiles.Mark, smiles.Skip, smiles.Fail)),

	of(OfSplit, "split", "fold (a fixed fold of the data), folds (folds made here), random (equal molecules in one part), given (the split of the data); for molecules also scaffold, group or column; for tables random, folds, time (the latest edges are tested), group or column (see --part) (default: the split of the data, else random)",
		func(s *Settings) *string { return &s.Split.Kind }).Where(oneOf(splitKinds...)),
	of(OfSplit, "folds", "number of folds to make, stratified by class, with --seed; with --split group, of whole groups (default 10, for --split folds)",
		func(s *Settings) *int { return ifSplit(s, &s.Split.Folds, SplitFolds, SplitGroup) }).Where(atLeast(3)).set(func(s *Settings, v any) {
		s.Split.Folds, s.Split.Fold, s.Split.Fractions = v.(int), cmp.Or(s.Split.Fold, 1), nil
	}),
	of(OfSplit, "fold", "test fold, from 1; the fold before it validates (default 1)",
		func(s *Settings) *int { return onlyIf(s.Split.Kind == SplitFold || s.Split.Folds > 0, &s.Split.Fold) }).Where(atLeast(1)),
	of(OfSplit, "fractions", "shares of the training, validation and test parts in a split that is random or by scaffold, time or group, such as `0.8,0.1,0.1` (the default; 0.6,0.2,0.2 for tables)",
		func(s *Settings) *[]float64 {
			if s.Split.Folds > 0 {
				return nil
			}
			return ifSplit(s, &s.Split.Fractions, SplitRandom, SplitScaffold, SplitTime, SplitGroup)
		}).Where(three),
	of(OfSplit, "pairs", "tables: keep all edges between two nodes in one part, for --split random, group and folds",
		func(s *Settings) *bool { return ifTables(s, func(*TableSettings) *bool { return &s.Split.Pairs }) }),
	of(OfSplit, "label-context", "tables: edge models read the labels of training edges around an edge, never its own: auto (if there are at least "+fmt.Sprint(EnoughShown)+" training edges, validation edges touch labelled training edges, and the tables have fewer than "+fmt.Sprint(FewColumns)+" feature columns), on or off (default auto)",
		func(s *Settings) *string {
			return ifEdges(s, func(c *TableSettings) *string { return &c.LabelContext })
		}).Where(oneOf(ContextAuto, ContextOn, ContextOff)),
	ofTables("transductive", "training sees the features (never the labels) of all edges, not only of training edges",
		func(c *TableSettings) *bool { return &c.Transductive }),

	structureOption,
	timeOption,

	of(OfSplit, "standardise", "subtract the mean of numeric features and divide by their deviation over the training part (default true; false for the paper's sets in its experiments)",
		func(s *Settings) *bool { return ifGraphs(s, func(g *GraphSettings) *bool { return &g.Standardise }) }),

	of(OfTask, "unweighted", "edge-classification: all edges have the same weight (default true; false weighs each edge by the inverse frequency of its class)",
		func(s *Settings) *bool { return onlyIf(s.Kind.Weighted, &s.Target.Unweighted) }),

	of(OfTask, "label-smoothing", "share of a label that the training loss spreads over all classes (default 0)",
		func(s *Settings) *float64 { return onlyIf(s.Classifies(), &s.Target.LabelSmoothing) }).Where(below1),

	of(OfTask, "calibrate", "fit a temperature to class probabilities on the validation part after training; predicted classes do not change (default true for edges, else false)",
		func(s *Settings) *bool { return onlyIf(s.Classifies(), &s.Target.Calibrate) }),
	of(OfTask, "learners", "whole graphs: also train a linear model and trees on counts of substructures, and average them with the network if this lowers the validation loss (default true without --model)",
		func(s *Settings) *bool {
			return onlyIf(s.Kind.Level == Graphs && !s.Kind.Reconstructs, &s.Target.Learners)
		}),
	of(OfTask, "coverage", "predict sets of classes, or intervals of numbers, that contain the true one this often, such as 0.9: split conformal prediction with the validation part (default 0, none)",
		func(s *Settings) *float64 { return onlyIf(s.Classifies() || s.Kind.Number, &s.Target.Coverage) }).Where(below1),
	of(OfTask, "threshold", "two classes: probability from which the rarer class is predicted, chosen on the validation part: "+ThresholdForms+" (default macro_f1 for edges, else the more probable class)",
		func(s *Settings) *string { return onlyIf(s.Classifies() && s.Model.Out == 2, &s.Target.Threshold) }).Where(thresholdText),
	of(OfTask, "budget", "edges of two classes: score the recall of the rarer class among this many edges with its highest probabilities, given as shares (below 1) or numbers, such as `0.01,0.05` (the default)",
		func(s *Settings) *[]float64 { return onlyIf(s.Target.Binary != nil, &s.Target.Budget) }).Where(budgets),

	ofModel[string]("quality", "auto: amount of work, fast, good or best; each takes about 3 times as long as the one before (default good)").Where(oneOf(model.Qualities()...)),
	ofModel[int]("hidden", "width of hidden layers").Where(atLeast(1)).set(func(s *Settings, v any) {
		// By default, edge layers are at most as wide as node layers.
		for _, at := range s.Model.At("hidden") {
			*at.(*int) = v.(int)
		}
		for _, at := range s.Model.At("edge-hidden") {
			if w := at.(*int); *w > 0 {
				*w = min(*w, v.(int))
			}
		}
	}),
	ofModel[int]("edge-hidden", "width of edge layers (default: --hidden)"),
	ofModel[int]("widen-input", "ehgnn-roles: width of the layer that reads the features, as a multiple of --hidden (default 2)").Where(atLeast(1)),
	ofModel[int]("layers", "layers of message passing").Where(atLeast(0)),
	ofModel[float64]("dropout", "dropout rate"),
	ofModel[float64]("ratio", "share of edges that each HyperDrop keeps, or that HyperCluster pools to (of the directed count, as in the paper)").Where(share),
	ofModel[int]("clusters", "edge clusters of HyperCluster (default: from --ratio)").Where(atLeast(1)),
	ofModel[int]("node-clusters", "number of vectors that an autoencoder pools nodes to (default: --ratio of the mean number of nodes)").Where(atLeast(1)),
	ofModel[string]("conv", "convolution of nodes, if the model leaves the choice: "+strings.Join(Convs(), ", ")),
	ofModel[string]("edge-conv", "convolution of edges on the dual (hyper, sage, gin, ...), or on the line graph, such as line:gcn"),
	ofModel[int]("heads", "attention heads"),
	ofModel[bool]("layer-norm", "layer norm in attention blocks"),
	ofModel[float64]("seed-scale", "autoencoders: standard deviation of the pool's initial seeds, which are normal; 0 for Glorot-uniform seeds, as published (default 1)").Where(notNegative),
	ofModel[bool]("decoder-sees-edges", "autoencoders of edges that pool nodes: the decoder has the encoder's layers, which read the features to predict"),
	ofModel[string]("edge-init", "input of edge layers: "+model.EdgesGiven+" (the features in DATA, or 1) or "+model.EdgesFromEnds+" (also the ends of the edges after the first node layer) (default "+model.EdgesGiven+")"),
	ofModel[string]("score", "weights of the edges that HyperDrop keeps: tanh of the score (0 if it is negative, as published) or sigmoid, which is positive and learns from every edge (default tanh)"),
	ofModel[bool]("virtual-node", "HyperDrop: add a node that is joined to all others of its graph between the node layers"),
	ofModel[string]("readout", "how the nodes of a graph become one vector, if the model leaves the choice: "+strings.Join(Readouts(), ", ")),
	ofModel[float64]("init-gain", "deep networks: factor of the node layers' initial weights; 1.4142 compensates for ReLU (He) (default 1)").Where(Positive),
	ofModel[bool]("encode", "first embed node and edge features by a learned vector for each category, summed (atom and bond encoders)"),
	ofModel[int]("members", "models trained together with different initial weights, whose predictions are averaged (default 1)").Where(atLeast(1)),

	of(OfTask, "metric", "edge-regression: metric of selection, and loss of training: mae, the mean absolute error, or rmse, the root mean squared error (default mae)",
		func(s *Settings) *string {
			return onlyIf(s.Kind.Level == Edges && s.Kind.Number && !s.Data.Many(), &s.Train.Monitor.Metric)
		}).Where(oneOf("mae", "rmse")),

	ofTrain("epochs", "passes over the training data, at most", func(c *train.Config) *int { return &c.Epochs }).Where(atLeast(1)).set(func(s *Settings, v any) {
		s.Train.Epochs = v.(int)
		if t := s.Kind; t.WarmupPart > 0 && s.Train.Schedule.WarmupEpochs > 0 {
			s.Train.Schedule.WarmupEpochs = t.warmup(s.Train) // share of the epochs
		}
	}),
	// One graph is one batch.
	of(OfTrain, "batch-size", "graphs in a training step", func(s *Settings) *int { return onlyIf(s.Kind.Level == Graphs || s.Collection(), &s.Train.BatchSize) }).Where(atLeast(1)),
	ofTrain("patience", "epochs without a better validation score before stopping; 0 for none", func(c *train.Config) *int { return &c.Patience }),
	ofTrain("lr", "learning rate", func(c *train.Config) *float64 { return &c.LR }),
	of(OfTrain, "node-lr", "graph-reconstruction: learning rate of the node autoencoder; --lr is for the edge autoencoder", func(s *Settings) *float64 {
		for i, p := range s.Train.ParamGroups {
			if p.Prefix == model.PairNodes {
				return &s.Train.ParamGroups[i].LR
			}
		}
		return nil
	}).Where(Positive),
	ofTrain("average-weights", "decay of an exponential moving average of the weights, which is validated and saved in place of the weights, such as 0.999; 0 for none", func(c *train.Config) *float64 { return &c.Average }).Where(below1),
	ofTrain("optimizer", "adam, adamw (with decoupled weight decay), sgd or rmsprop", func(c *train.Config) *string { return &c.Optimizer.Name }).Where(oneOf(optim.Names()...)),
	ofTrain("weight-decay", "L2 penalty; for adamw the decoupled decay", func(c *train.Config) *float64 { return &c.Optimizer.WeightDecay }),
	of(OfTrain, "constant-lr", "no warm-up and no cosine schedule", func(s *Settings) *train.Schedule { return &s.Train.Schedule }).
		storedAs(false, func(s *Settings) any { return s.Train.Schedule.Name != "cosine" }, func(s *Settings, v any) {
			switch cosine := s.Train.Schedule.Name == "cosine"; {
			case v.(bool) && cosine:
				s.Train.Schedule = train.Schedule{Name: "constant"}
			case !v.(bool) && !cosine:
				s.Train.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: s.Kind.warmup(s.Train)}
			}
		}),
}

// of is a row for a setting that is stored in one place; at returns nil if the run does not read
// it.
func of[T any](group Group, name, help string, at func(*Settings) *T) Option {
	return Option{Name: name, Of: group, Help: help, Kind: *new(T), At: func(s *Settings) []any {
		if p := at(s); p != nil {
			return []any{p}
		}
		return nil
	}}
}

// ofModel is a row for a setting that model configs have under its name.
func ofModel[T any](name, help string) Option {
	return Option{Name: name, Of: OfModel, Help: help, Kind: *new(T), At: func(s *Settings) []any {
		if !s.Model.Reads(name) {
			return nil
		}
		return s.Model.At(name)
	}}
}

// ofTrain is a row for a setting of train.Config.
func ofTrain[T any](name, help string, at func(*train.Config) *T) Option {
	return of(OfTrain, name, help, func(s *Settings) *T { return at(&s.Train) })
}

// ofTables is a row for a setting of tables of nodes and edges.
func ofTables[T any](name, help string, at func(*TableSettings) *T) Option {
	return of(OfData, name, "tables: "+help, func(s *Settings) *T { return ifTables(s, at) })
}

// ofColumns is a row for a setting of tables of molecules, or of nodes and edges.
func ofColumns[T any](name, help string, ofMolecules func(*MoleculeSettings) *T, at func(*TableSettings) *T) Option {
	return of(OfData, name, help, func(s *Settings) *T {
		if m := s.Data.Molecules; m != nil {
			return ofMolecules(m)
		}
		return ifTables(s, at)
	})
}

// onlyIf returns at if the condition holds, else nil.
func onlyIf[T any](condition bool, at *T) *T {
	if condition {
		return at
	}
	return nil
}

func ifTables[T any](s *Settings, at func(*TableSettings) *T) *T {
	return within(s.Data.Tables, at)
}

// ifEdges is ifTables for tasks on edges.
func ifEdges[T any](s *Settings, at func(*TableSettings) *T) *T {
	if s.Kind.Level != Edges {
		return nil
	}
	return ifTables(s, at)
}

func ifGraphs[T any](s *Settings, at func(*GraphSettings) *T) *T { return within(s.Data.Graphs, at) }

func ifMolecules[T any](s *Settings, at func(*MoleculeSettings) *T) *T {
	return within(s.Data.Molecules, at)
}

// within returns at if the data have these settings, else nil.
func within[S, T any](s *S, at func(*S) *T) *T {
	if s == nil {
		return nil
	}
	return at(s)
}

// ifSplit returns at if the split is one of some kinds, else nil.
func ifSplit[T any](s *Settings, at *T, kinds ...string) *T {
	if slices.Contains(kinds, s.Split.Kind) {
		return at
	}
	return nil
}

// Where adds a check of values to a row.
func (o Option) Where(f func(any) error) Option { o.Check = f; return o }

// set gives a row its own way to store a value.
func (o Option) set(f func(*Settings, any)) Option {
	o.Set, o.Get = f, func(s *Settings) any {
		v, _ := Option{At: o.At}.Value(s)
		return v
	}
	return o
}

// storedAs is for a row whose value is stored as another type.
func (o Option) storedAs(kind any, get func(*Settings) any, set func(*Settings, any)) Option {
	o.Kind, o.Get, o.Set = kind, get, set
	return o
}

// Checks of values. The error says which values are expected.

func atLeast(least int) func(any) error {
	return func(v any) error {
		if v.(int) < least {
			return fmt.Errorf("at least %d", least)
		}
		return nil
	}
}

// oneOf accepts some words, and the empty word for the default.
func oneOf(values ...string) func(any) error {
	return func(v any) error {
		if v != "" && !slices.Contains(values, v.(string)) {
			return fmt.Errorf("one of %q", values)
		}
		return nil
	}
}

// readBy accepts the texts that a parse function accepts.
func readBy(read func(string) (string, error)) func(any) error {
	return func(v any) error {
		_, err := read(v.(string))
		return err
	}
}

func share(v any) error {
	if x := v.(float64); !(x > 0 && x <= 1) { // also rejects NaN
		return errors.New("above 0 and at most 1")
	}
	return nil
}

func below1(v any) error {
	if x := v.(float64); !(x >= 0 && x < 1) {
		return errors.New("0 or more and below 1")
	}
	return nil
}

// budgets accepts different shares and numbers of items.
func budgets(v any) error {
	seen := map[string]bool{}
	if len(v.([]float64)) == 0 {
		return errors.New("one or more")
	}
	for _, x := range v.([]float64) {
		if !(x > 0) || x > math.MaxInt32 || x > 1 && x != math.Trunc(x) {
			return errors.New("shares below 1 and whole numbers from 1")
		}
		if seen[RecallScore(x)] {
			return errors.New("each once")
		}
		seen[RecallScore(x)] = true
	}
	return nil
}

// Positive accepts numbers above 0.
func Positive(v any) error {
	if x := v.(float64); !(x > 0) || math.IsInf(x, 1) {
		return errors.New("a number above 0")
	}
	return nil
}

func notNegative(v any) error {
	if x := v.(float64); !(x >= 0) || math.IsInf(x, 1) {
		return errors.New("a number, 0 or more")
	}
	return nil
}

func three(v any) error {
	if n := len(v.([]float64)); n != 3 {
		return fmt.Errorf("3 numbers: of training, validation and test, not %d", n)
	}
	sum, f := 0.0, v.([]float64)
	for _, x := range f {
		if !(x >= 0 && x <= 1) { // also rejects NaN
			return errors.New("numbers from 0 to 1")
		}
		sum += x
	}
	if math.Abs(sum-1) > 1e-6 || f[0] == 0 {
		return fmt.Errorf("numbers that sum to 1, some of it for training, not to %g", sum)
	}
	return nil
}

// Convs lists the names of node convolutions.
func Convs() []string {
	return lists.Map(nn.Convs(), func(s nn.ConvSpec) string { return s.Name })
}

// modelOptions lists the options that a model reads.
func modelOptions(name string) []string {
	spec, err := model.Find(name)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(spec.Options(), func(name string) bool {
		_, ok := FindOption(name)
		return !ok // for example sort-k, which follows from the data
	})
}

// Readouts lists the names of readouts.
func Readouts() []string {
	return lists.Map(pool.Readouts(), func(r pool.ReadoutSpec) string { return r.Name })
}
