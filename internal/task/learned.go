package task

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/tensor"
)

// learnedClasses returns the classes of edges that a training pass learns from: all, or the edges
// whose labels the pass hid.
func learnedClasses(o *model.Output, class []int32) []int32 {
	if o.Learn == nil {
		return class
	}
	out := lists.Repeat[int32](graph.NoLabel, len(class))
	for _, e := range o.Learn {
		out[e] = class[e]
	}
	return out
}

// learnedNumbers is learnedClasses for numbers.
func learnedNumbers(o *model.Output, target *tensor.Tensor) *tensor.Tensor {
	out := tensor.Full(float32(math.NaN()), target.Shape()...)
	d := target.Dim(1)
	for _, e := range o.Learn {
		copy(out.Data()[int(e)*d:][:d], target.Data()[int(e)*d:][:d])
	}
	return out
}
