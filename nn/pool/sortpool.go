package pool

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// SortPool sorts the vertices of each sample by their last channel, descending, and concatenates
// the rows of the first k: [n,d] gives [samples,k·d]. A sample with fewer vertices gets zero rows
// at the end. Ties keep the order of the vertices; the text of the paper compares the previous
// channel. It panics with *tensor.ShapeError if k is below 1.
//
// Cost: O(n·log n) and k·d numbers per sample. Zhang, Cui, Neumann and Chen 2018 (DGCNN), section
// 3.2.
func SortPool(x *tensor.Tensor, of *tensor.Index, k int) *tensor.Tensor {
	if k < 1 || x.Rank() != 2 || x.Dim(0) != of.Len() || x.Dim(1) == 0 {
		panic(&tensor.ShapeError{Op: "SortPool", Shapes: [][]int{x.Shape(), {of.Len()}, {k}},
			Want: "a row per vertex, a channel to sort by and k of at least 1"})
	}
	n, d := x.Dim(0), x.Dim(1)
	channel := make([]float32, n)
	for i := range channel {
		channel[i] = x.Data()[i*d+d-1]
	}
	first := TopK(channel, of, Keep{Count: k})
	place := make([]int32, len(first))
	next := make([]int32, of.Slots())
	for i, u := range first {
		g := of.IDs()[u]
		place[i] = g*int32(k) + next[g]
		next[g]++
	}
	rows := tensor.Gather(x, tensor.MustIndex(first, n))
	return tensor.SegmentSum(rows, tensor.MustIndex(place, of.Slots()*k)).Reshape(of.Slots(), k*d)
}

// SortPoolSize chooses k for SortPool from the sizes of all samples of a data set. The given share
// of the samples has at most k vertices, and k is at least 10. The authors use the share 0.6, and
// 0.9 for COLLAB and IMDB.
func SortPoolSize(sizes []int, share float64) int {
	if len(sizes) == 0 {
		return 10
	}
	sorted := slices.Sorted(slices.Values(sizes))
	rank := int(math.Ceil(share*float64(len(sorted)))) - 1
	return max(10, sorted[min(max(rank, 0), len(sorted)-1)])
}

// The sizes of the convolutions of a SortHead.
const (
	sortChannels1 = 16
	sortChannels2 = 32
	sortKernel    = 5
)

// SortHeadDims are the sizes of a SortHead.
type SortHeadDims struct {
	K      int // vertices per sample, as in SortPool; at least 10
	Dim    int // channels per vertex
	Hidden int // width of the hidden layer, 128 when zero
	Out    int // classes or targets
}

// SortHeadConfig describes a SortHead.
type SortHeadConfig struct {
	Dropout float64 // after the hidden layer, in training
}

// check returns an error for sizes or a dropout out of range.
func (d SortHeadDims) check(c SortHeadConfig) error {
	switch {
	case d.K/2 < sortKernel:
		return fmt.Errorf("pool: sort head: %d vertices per sample, expected at least %d", d.K, 2*sortKernel)
	case d.Dim < 1 || d.Out < 1 || d.Hidden < 0:
		return fmt.Errorf("pool: sort head: %d channels, %d hidden and %d outputs, expected at least 1", d.Dim, d.Hidden, d.Out)
	case !(c.Dropout >= 0 && c.Dropout < 1):
		return fmt.Errorf("pool: sort head: dropout is %v, expected 0 or more and below 1", c.Dropout)
	}
	return nil
}

// SortHead reads the output of SortPool as a sequence: a convolution over each vertex (1 to 16
// channels, kernel and stride d), ReLU, the maximum over pairs of vertices, a convolution over five
// positions (16 to 32 channels), ReLU, and a two-layer perceptron with dropout.
//
// Input: [samples,k·d]. Output: [samples,out]. Tied maxima share the gradient. Zhang, Cui, Neumann
// and Chen 2018 (DGCNN), section 3.3 and the authors' code. Its parameter names are used, except
// for those of the perceptron.
type SortHead struct {
	Weight1, Bias1 *tensor.Param // conv1.weight [16,1,d], conv1.bias
	Weight2, Bias2 *tensor.Param // conv2.weight [32,16,5], conv2.bias
	Classifier     *nn.MLP       // classifier.0, classifier.3
	SortHeadDims
}

// NewSortHead returns a head with the initial weights of PyTorch's Conv1d and Linear. It returns an
// error for sizes or a dropout out of range.
func NewSortHead(in nn.Init, d SortHeadDims, c SortHeadConfig) (*SortHead, error) {
	if err := d.check(c); err != nil {
		return nil, err
	}
	d.Hidden = cmp.Or(d.Hidden, 128)
	conv := func(name string, out, channels, kernel int) (w, b *tensor.Param) {
		bound := 1 / math.Sqrt(float64(channels*kernel))
		in := in.In(name)
		return in.Uniform("weight", bound, out, channels, kernel), in.Uniform("bias", bound, out)
	}
	h := &SortHead{SortHeadDims: d}
	h.Weight1, h.Bias1 = conv("conv1", sortChannels1, 1, d.Dim)
	h.Weight2, h.Bias2 = conv("conv2", sortChannels2, sortChannels1, sortKernel)
	width := sortChannels2 * (d.K/2 - sortKernel + 1)
	h.Classifier = nn.NewMLP(in.In("classifier"), nn.MLPDims{In: width, Hidden: []int{d.Hidden}, Out: d.Out}, nn.MLPConfig{Dropout: c.Dropout})
	return h, nil
}

// Params lists the parameters of the convolutions and of the perceptron.
func (h *SortHead) Params() []*tensor.Param {
	return append([]*tensor.Param{h.Weight1, h.Bias1, h.Weight2, h.Bias2}, h.Classifier.Params()...)
}

// Forward reads the output of SortPool.
func (h *SortHead) Forward(p *nn.Pass, x *tensor.Tensor) *tensor.Tensor {
	if x.Rank() != 2 || x.Dim(1) != h.K*h.Dim {
		panic(&tensor.ShapeError{Op: "SortHead", Shapes: [][]int{x.Shape()}, Want: fmt.Sprintf("rows of %d·%d", h.K, h.Dim)})
	}
	samples, pairs := x.Dim(0), h.K/2
	relu := tensor.AffineConfig{TransW: true, ReLU: true}
	// Kernel and stride are one vertex: a linear map of each vertex.
	x = tensor.Affine(x.Reshape(samples*h.K, h.Dim), p.Var(h.Weight1).Reshape(sortChannels1, h.Dim), p.Var(h.Bias1), relu)
	x = x.Reshape(samples, h.K, sortChannels1).Slice(1, 0, 2*pairs)
	x = x.Reshape(samples*pairs, 2, sortChannels1).MaxAxis(1).Reshape(samples, pairs, sortChannels1)
	// The second convolution is a linear map of five consecutive positions.
	places := pairs - sortKernel + 1
	windows := make([]*tensor.Tensor, sortKernel)
	for i := range windows {
		windows[i] = x.Slice(1, i, i+places)
	}
	w := p.Var(h.Weight2).Permute(0, 2, 1).Reshape(sortChannels2, sortKernel*sortChannels1)
	x = tensor.Concat(2, windows...).Reshape(samples*places, sortKernel*sortChannels1)
	x = tensor.Affine(x, w, p.Var(h.Bias2), relu).Reshape(samples, places, sortChannels2)
	return h.Classifier.Forward(p, x.Permute(0, 2, 1).Reshape(samples, sortChannels2*places))
}
