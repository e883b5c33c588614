package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/nearest"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Output is what a forward pass yields. Fields a model has no notion of are nil.
type Output struct {
	Graph *tensor.Tensor // [samples,out] predictions per graph, logits for classes
	Node  *tensor.Tensor // [n,out] predictions per node
	Edge  *tensor.Tensor // [m,out] predictions per edge
	// Learned vectors behind the predictions.
	GraphVec *tensor.Tensor // [samples,d]
	NodeVec  *tensor.Tensor // [n,d]
	EdgeVecs []EdgeVec      // later ones replace earlier ones, edge by edge
	Drops    []Drop         // what each edge pool kept
	// Assign is how edges [m,k] are divided over clusters, per head, for models
	// that cluster them; rows sum to 1.
	Assign pool.Attention
	// Attention is what each attention pool over nodes attended to, in order.
	Attention []pool.Attention
	Aux       *tensor.Tensor // auxiliary loss to add, or nil
}

// EdgeVec holds vectors of some edges of the batch.
type EdgeVec struct {
	IDs  []int32        // edges of the batch; nil for all in order
	Rows *tensor.Tensor // [len(IDs),d]
}

// Drop records one edge pool: which edges entered and with which score, and
// which were kept.
type Drop struct {
	Entered []int32        // edges of the batch; nil for all in order
	Score   *tensor.Tensor // [entered]
	Kept    []int32        // positions in Entered; nil for all
}

// Model is a network with predictions for a batch.
type Model interface {
	nn.Module
	Forward(p *nn.Pass, b *graph.Batch) *Output
}

// Config holds the hyperparameters of every model; each reads what it needs.
// The names are those of the command line and of config.yaml.
type Config struct {
	NodeDim int `json:"node_dim" yaml:"node_dim"` // width of node features
	EdgeDim int `json:"edge_dim" yaml:"edge_dim"` // width of edge features
	Out     int `json:"out" yaml:"out"`           // classes or targets
	Hidden  int `json:"hidden" yaml:"hidden"`
	// EdgeHidden is the width of edge representations; Hidden when 0.
	EdgeHidden int `json:"edge_hidden" yaml:"edge_hidden"`
	Layers     int `json:"layers" yaml:"layers"`
	// Conv and EdgeConv name the convolutions of nodes and of edges where a model
	// leaves the choice; empty for its own.
	Conv     string `json:"conv,omitempty" yaml:"conv,omitempty"`
	EdgeConv string `json:"edge_conv,omitempty" yaml:"edge_conv,omitempty"`
	// EdgeInit says what the edge layers of HyperDrop and its kin start from:
	// EdgesGiven, also when empty, or EdgesFromEnds.
	EdgeInit string  `json:"edge_init,omitempty" yaml:"edge_init,omitempty"`
	Dropout  float64 `json:"dropout" yaml:"dropout"`
	// Ratio is the share of edges that each HyperDrop keeps.
	Ratio float64 `json:"ratio,omitempty" yaml:"ratio,omitempty"`
	// Score says what weights HyperDrop and its kin make of the scores: ScoreTanh, also
	// when empty, or ScoreSigmoid.
	Score string `json:"score,omitempty" yaml:"score,omitempty"`
	// VirtualNode puts an nn.VirtualNode between the node layers of HyperDrop and its kin.
	VirtualNode bool `json:"virtual_node,omitempty" yaml:"virtual_node,omitempty"`
	// Clusters is the number of vectors a clustering pool makes: of edges for
	// HyperCluster, of nodes for GMT and the first pool of DiffPool and MinCutPool.
	Clusters int `json:"clusters,omitempty" yaml:"clusters,omitempty"`
	// SortK is the number of nodes SortPool keeps.
	SortK int `json:"sort_k,omitempty" yaml:"sort_k,omitempty"`
	// Encode puts an nn.Encoder of width Hidden before the node features and one
	// before the edge features of a registered model, as the authors' models for
	// molecules do; see Encoded. Spec.New heeds it, the constructors do not.
	Encode bool `json:"encode,omitempty" yaml:"encode,omitempty"`
	// NodeBlocks and EdgeBlocks divide NodeDim and EdgeDim for the encoders, as
	// graph.Features.Blocks does; nil for one block.
	NodeBlocks []int `json:"node_blocks,omitempty" yaml:"node_blocks,omitempty"`
	EdgeBlocks []int `json:"edge_blocks,omitempty" yaml:"edge_blocks,omitempty"`
	// Unnormalised sums neighbours without degrees before the first drop of
	// DeepHyperDrop, as the authors' code does.
	Unnormalised bool `json:"unnormalised,omitempty" yaml:"unnormalised,omitempty"`
	// InitGain multiplies the initial weights of the node layers of DeepGCN and
	// DeepHyperDrop, as nn.Init.Gain; 1 when 0.
	InitGain float64 `json:"init_gain,omitempty" yaml:"init_gain,omitempty"`
	// Members is the number of models of an Ensemble; 0 and 1 are a model alone.
	// Spec.New heeds it, the constructors do not.
	Members   int    `json:"members,omitempty" yaml:"members,omitempty"`
	Heads     int    `json:"heads,omitempty" yaml:"heads,omitempty"`
	LayerNorm bool   `json:"layer_norm,omitempty" yaml:"layer_norm,omitempty"`
	Seed      uint64 `json:"seed" yaml:"seed"`
}

func (c Config) edgeHidden() int {
	if c.EdgeHidden > 0 {
		return c.EdgeHidden
	}
	return c.Hidden
}

// nodeDim is the width of the node features that enter layer l.
func (c Config) nodeDim(l int) int {
	if l == 0 {
		return c.NodeDim
	}
	return c.Hidden
}

func (c Config) validate(name string) error {
	for _, f := range []struct {
		what     string
		v, least int
	}{{"hidden", c.Hidden, 1}, {"layers", c.Layers, 1}, {"out", c.Out, 1}, {"node_dim", c.NodeDim, 0},
		{"edge_dim", c.EdgeDim, 0}, {"edge_hidden", c.EdgeHidden, 0}, {"heads", c.Heads, 0}} {
		if f.v < f.least {
			return fmt.Errorf("model: %s: %s is %d, expected at least %d", name, f.what, f.v, f.least)
		}
	}
	if !(c.Dropout >= 0 && c.Dropout < 1) { // NaN, too
		return fmt.Errorf("model: %s: dropout is %v, expected 0 or more and below 1", name, c.Dropout)
	}
	if err := checkConvs(c.Conv, c.EdgeConv); err != nil {
		return fmt.Errorf("model: %s: %w", name, err)
	}
	if err := cmp.Or(checkEdgeInit(c.EdgeInit), checkScore(c.Score)); err != nil {
		return fmt.Errorf("model: %s: %w", name, err)
	}
	return nil
}

// Spec describes a registered model.
type Spec struct {
	Name  string
	Title string // one line
	Paper string
	// Tasks lists the tasks the model has predictions for.
	Tasks []string
	// Edges says that the model reads edge features.
	Edges bool
	// EdgesOnly says that it reads no node features.
	EdgesOnly bool
	// Options names the settings besides hidden, layers, dropout, encode and members that it
	// reads; Fixed those of hidden, layers and dropout that it does not.
	Options, Fixed []string
	// Ratio is the model's own default for Config.Ratio; 0 leaves it to the task.
	Ratio float64
	// PaperHeads says that attention heads and layer norm are those the authors of
	// GMT chose for a data set.
	PaperHeads bool
	// Sizes sets the sizes that follow from the ratio and the data; nil for none.
	Sizes func(c *Config, s Stats)
	// Form gives a graph the form that the model wants; nil where any will do.
	Form func(g *graph.Graph) (*graph.Graph, error)
	New  func(c Config) (Model, error)

	conv  string   // the one convolution of a flat model
	parts []string // registered models, of which this one is an Ensemble; New is theirs
}

// Reads reports whether the model reads an option, by its name in Options or Fixed.
// Convolutions of attention read heads, too; conv and edgeConv name them, empty for none.
func (s Spec) Reads(option, conv, edgeConv string) bool {
	switch option {
	case "hidden", "layers", "dropout":
		return !slices.Contains(s.Fixed, option)
	}
	attends := func(of, name string) bool {
		spec, err := nn.FindConv(name)
		return err == nil && spec.Attention && slices.Contains(s.Options, of)
	}
	return slices.Contains(s.Options, option) ||
		option == "heads" && (attends("conv", conv) || attends("edge-conv", strings.TrimPrefix(edgeConv, nn.LinePrefix)))
}

// Stats are facts of a data set that some models are shaped by.
type Stats struct {
	Nodes     []int   // of each graph, rising
	MeanEdges float64 // undirected
}

// MeanNodes is the mean number of nodes, rounded up as GMT does.
func (s Stats) MeanNodes() int {
	sum := 0
	for _, n := range s.Nodes {
		sum += n
	}
	if len(s.Nodes) == 0 {
		return 0
	}
	return (sum + len(s.Nodes) - 1) / len(s.Nodes)
}

// Share is ceil(ratio·n), at least 1; the product is rounded to nine decimals
// first, so that 0.05·60 is 3 and not 4.
func Share(ratio float64, n int) int {
	return max(int(math.Ceil(math.Round(ratio*float64(n)*1e9)/1e9)), 1)
}

// EdgeClusters is the number of clusters for a share of the edges: of the mean
// number of arcs, each undirected edge counted twice and the mean rounded up, as
// in the authors' code: 15% of 50 arcs are 8 on ZINC.
func (s Stats) EdgeClusters(ratio float64) int {
	return Share(ratio, int(math.Ceil(2*s.MeanEdges)))
}

// Find returns a registered model by name. The error of an unknown name
// suggests the nearest.
func Find(name string) (Spec, error) {
	for _, s := range Registry {
		if s.Name == name {
			return s, nil
		}
	}
	names := make([]string, len(Registry))
	for i, s := range Registry {
		names[i] = s.Name
	}
	return Spec{}, fmt.Errorf("model: unknown model %q, did you mean %q? (known: %s)", name, nearest.Name(name, names, math.MaxInt-1), strings.Join(names, ", "))
}
