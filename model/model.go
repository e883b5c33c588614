package model

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// Output is the result of a forward pass. A field is nil if the model does not compute it.
type Output struct {
	Graph *tensor.Tensor // [samples,out] predictions per graph, logits for classes
	Node  *tensor.Tensor // [n,out] predictions per node
	Edge  *tensor.Tensor // [m,out] predictions per edge
	// EdgeBounds [m,2] are a lower and an upper quantile of the number of each edge, for intervals.
	// It may be nil.
	EdgeBounds *tensor.Tensor
	// Learned vectors behind the predictions.
	GraphVec *tensor.Tensor // [samples,d]
	NodeVec  *tensor.Tensor // [n,d]
	EdgeVecs []EdgeVec      // later ones replace earlier ones for the same edge
	Drops    []Drop         // what each edge pool kept
	// Assign [m,k] is the assignment of edges to clusters, per head, for models that cluster edges.
	// Rows sum to 1.
	Assign pool.Attention
	// Attention is the attention of each pool over nodes, in order.
	Attention []pool.Attention
	Aux       *tensor.Tensor // auxiliary loss to add; may be nil
	// Learn are the edges in the loss of this training pass: those whose labels it hid
	// (LabelContext). nil means all edges.
	Learn []int32
	// Members are the outputs that an Ensemble averages. It is nil for other models.
	Members []*Output
	vectors []func(o *Output) // compute EdgeVecs on demand if that is expensive
}

// EdgeVec holds vectors of some edges of the batch.
type EdgeVec struct {
	IDs  []int32        // edges of the batch; nil means all in order
	Rows *tensor.Tensor // [len(IDs),d]
}

// Drop records one edge pool: its input edges with their scores, and the edges that it kept.
type Drop struct {
	Entered []int32        // edges of the batch; nil means all in order
	Score   *tensor.Tensor // [entered]
	Kept    []int32        // positions in Entered; nil means all
}

// Model is a network with predictions for a batch.
type Model interface {
	nn.Module
	Forward(p *nn.Pass, b *graph.Batch) *Output
}

// Stats are statistics of a data set from which some models derive their sizes.
type Stats struct {
	Nodes     []int   // of each graph, ascending
	MeanEdges float64 // mean number of undirected edges
}

// MeanNodes is the mean number of nodes, rounded up as GMT does.
func (s Stats) MeanNodes() int {
	sum := lists.Sum(s.Nodes)
	if len(s.Nodes) == 0 {
		return 0
	}
	return (sum + len(s.Nodes) - 1) / len(s.Nodes)
}

// Share is ceil(ratio·n), at least 1. The product is rounded to nine decimals first, so that
// 0.05·60 is 3 and not 4.
func Share(ratio float64, n int) int {
	return max(int(math.Ceil(math.Round(ratio*float64(n)*1e9)/1e9)), 1)
}

// EdgeClusters is the number of clusters as a share of the mean number of arcs. Each undirected
// edge counts as two arcs and the mean is rounded up, as in the authors' code: 15% of 50 arcs are 8
// on ZINC.
func (s Stats) EdgeClusters(ratio float64) int {
	return Share(ratio, int(math.Ceil(2*s.MeanEdges)))
}

// Vectors returns the learned vectors at a level, "graph", "node" or "edge": a row for each item of
// a batch with the given number of edges. It is nil if the model learns none. An edge has the
// vector of the last layer that it was in.
func (o *Output) Vectors(level string, edges int) (rows []float32, width int) {
	if level == "edge" {
		for _, f := range o.vectors {
			f(o)
		}
		o.vectors = nil
	}
	switch {
	case level == "graph" && o.GraphVec != nil:
		return o.GraphVec.Data(), o.GraphVec.Dim(1)
	case level == "node" && o.NodeVec != nil:
		return o.NodeVec.Data(), o.NodeVec.Dim(1)
	case level == "edge" && o.EdgeVecs != nil:
		return lastVectors(o.EdgeVecs, edges)
	}
	return nil, 0
}

// Clusters returns for each edge the cluster with the largest weight, summed over the heads, and
// the mean of that weight over the heads. The batch has the given number of edges. It is nil if the
// model does not cluster edges.
func (o *Output) Clusters(edges int) (cluster []int32, weight []float32) {
	if len(o.Assign) == 0 || o.Assign[0].Dim(0) != edges {
		return nil, nil
	}
	k := o.Assign[0].Dim(1)
	cluster, weight = make([]int32, edges), make([]float32, edges)
	for e := range edges {
		best := math.Inf(-1)
		for c := range k {
			sum := lists.SumOf(o.Assign, func(head *tensor.Tensor) float64 { return float64(head.Data()[e*k+c]) })
			if sum > best {
				best, cluster[e] = sum, int32(c)
			}
		}
		weight[e] = float32(best / float64(len(o.Assign)))
	}
	return cluster, weight
}

func lastVectors(vs []EdgeVec, edges int) (rows []float32, width int) {
	width = vs[0].Rows.Dim(1)
	rows = make([]float32, edges*width)
	for _, v := range vs {
		if v.IDs == nil {
			copy(rows, v.Rows.Data())
			continue
		}
		for i, id := range v.IDs {
			copy(rows[int(id)*width:][:width], v.Rows.Data()[i*width:(i+1)*width])
		}
	}
	return rows, width
}
