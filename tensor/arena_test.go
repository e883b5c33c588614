package tensor_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// trainer is a small graph network: two layers of message passing with learned edge
// weights, a readout and a loss.
type trainer struct {
	x      *tensor.Tensor
	labels []int32
	adj    *tensor.Sparse
	graph  *tensor.Index
	params []*tensor.Param
}

func newTrainer(nodes, graphs, features, hidden, classes int) *trainer {
	r := source("trainer")
	param := func(dim ...int) *tensor.Param {
		return &tensor.Param{Value: uniform(r, -0.3, 0.3, dim...).tensor()}
	}
	tr := &trainer{x: normalish(r, nodes, features).tensor(), adj: randomSparse(nodes, 4*nodes, true),
		graph: sortedIndex(nodes, graphs), labels: ids(graphs, classes)}
	tr.params = []*tensor.Param{param(features, hidden), param(hidden), param(hidden, hidden), param(hidden),
		param(hidden, classes), param(tr.adj.NumWeights)}
	return tr
}

// step is forward and backward; it returns the loss and the gradients, which
// are valid until the tape is closed.
func (tr *trainer) step(tape *tensor.Tape) (loss *tensor.Tensor, grads []*tensor.Tensor) {
	var w [6]*tensor.Tensor
	for i, p := range tr.params {
		w[i] = tape.Watch(p)
	}
	h := tape.Constant(tr.x)
	for i := 0; i < 4; i += 2 {
		h = tensor.Affine(h, w[i], w[i+1], tensor.AffineConfig{})
		h = tensor.SpMM(tr.adj, h, tensor.SpMMConfig{W: w[5], Self: h, ReLU: true})
	}
	logits := tensor.SegmentMean(h, tr.graph).MatMul(w[4])
	loss = tensor.Pick(logits.LogSoftmax(), tr.labels).Mean().Neg()
	return loss, tape.Grad(loss, w[:]...)
}

// From the second step on, memory is reused, also by smaller batches: the arena
// stays as large as it is, and every step gives the same numbers.
func TestArenaSteadyState(t *testing.T) {
	large, small := newTrainer(300, 10, 5, 16, 3), newTrainer(200, 9, 5, 16, 3)
	arena := tensor.NewArena(2)
	run := func(tr *trainer) [][]float32 {
		tape := arena.Tape()
		defer tape.Close()
		loss, grads := tr.step(tape)
		return values(append(grads, loss))
	}
	first := run(large)
	held := arena.Bytes()
	if held == 0 {
		t.Fatal("the arena holds nothing")
	}
	for range 5 {
		run(small)
		for i, got := range run(large) {
			if !slices.Equal(got, first[i]) {
				t.Fatalf("gradient %d differs from the first step's", i)
			}
		}
	}
	if got := arena.Bytes(); got != held {
		t.Errorf("the arena grew from %d to %d bytes", held, got)
	}
}

// One outsized batch costs memory for some steps, not for the rest of the run;
// batches that come up regularly keep theirs.
func TestArenaLetsGo(t *testing.T) {
	large, small := newTrainer(3000, 10, 5, 16, 3), newTrainer(300, 10, 5, 16, 3)
	run := func(arena *tensor.Arena, tr *trainer) {
		tape := arena.Tape()
		defer tape.Close()
		tr.step(tape)
	}
	alone, once, often := tensor.NewArena(1), tensor.NewArena(1), tensor.NewArena(1)
	run(alone, small)
	run(once, large)
	run(often, large)
	held := often.Bytes()
	for i := range 400 {
		run(once, small)
		if run(often, small); i%8 == 0 {
			run(often, large)
		}
	}
	if got, want := once.Bytes(), alone.Bytes(); got > 2*want {
		t.Errorf("after one large batch the arena holds %d bytes, expected about the %d of a small one", got, want)
	}
	if got := often.Bytes(); got < held || got > held+held/4 {
		t.Errorf("with regular large batches the arena holds %d bytes, expected about %d", got, held)
	}
}

// A backward pass gives back what it no longer needs, so that it takes less memory
// than recording it would.
func TestGradReusesBuffers(t *testing.T) {
	bytes := func(backward func(tape *tensor.Tape, y, x *tensor.Tensor)) int64 {
		arena := tensor.NewArena(1)
		tape := arena.Tape()
		defer tape.Close()
		x := tape.Variable(tensor.Full(0.5, 1000))
		y := x
		for range 50 {
			y = y.Tanh()
		}
		before := arena.Bytes()
		backward(tape, y, x)
		return arena.Bytes() - before
	}
	first := bytes(func(tape *tensor.Tape, y, x *tensor.Tensor) { tape.Grad(y, x) })
	live := bytes(func(tape *tensor.Tape, y, x *tensor.Tensor) { tape.GradGraph(y, x) })
	if first > 8*4100 || live < 10*first {
		t.Errorf("Grad took %d bytes and GradGraph %d; a chain of 50 needs a few buffers of 4 KiB", first, live)
	}
}

// Gradients that are not asked for are not computed.
func TestGradOfWantedOnly(t *testing.T) {
	arena := tensor.NewArena(1)
	tape := arena.Tape()
	defer tape.Close()
	x, w := tape.Variable(tensor.Full(1, 10)), tape.Variable(tensor.Full(2, 1<<18))
	y := x.Mul(w.Slice(0, 5, 15))
	before := arena.Bytes()
	expect(t, "gradient by x", tape.Grad(y, x)[0], 2, 2, 2, 2, 2, 2, 2, 2, 2, 2)
	if grown := arena.Bytes() - before; grown > 64<<10 {
		t.Errorf("the backward pass took %d bytes, expected none of w's 1 MiB", grown)
	}
}

// A step in steady state allocates small things only, the same number in every
// step.
func TestStepAllocations(t *testing.T) {
	if raceBuild || debugBuild {
		t.Skip("both builds allocate on purpose")
	}
	tr := newTrainer(2000, 10, 16, 32, 3)
	arena := tensor.NewArena(1)
	step := func() {
		tape := arena.Tape()
		defer tape.Close()
		tr.step(tape)
	}
	for range 3 {
		step()
	}
	early := testing.AllocsPerRun(20, step)
	for range 50 {
		step()
	}
	late := testing.AllocsPerRun(20, step)
	if late > early+1 {
		t.Errorf("a step made %v allocations at first and %v later", early, late)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const steps = 20
	for range steps {
		step()
	}
	runtime.ReadMemStats(&after)
	// One layer's result has 2000·32 elements, 256 KB.
	if perStep := (after.TotalAlloc - before.TotalAlloc) / steps; perStep > 64<<10 {
		t.Errorf("a step allocates %d bytes, expected less than 64 KiB", perStep)
	}
}

// Recording an operation allocates nothing, constants of its rule included.
func TestRecordingAllocatesNothing(t *testing.T) {
	if raceBuild || debugBuild {
		t.Skip("both builds allocate on purpose")
	}
	step := smallOps(tensor.NewArena(1))
	step()
	if n := testing.AllocsPerRun(20, step); n > 1 {
		t.Errorf("%v allocations a step, expected the slice that Grad returns", n)
	}
}

// Two open tapes of one arena keep out of each other's buffers, also when one
// of them closes first.
func TestTwoTapesOfOneArena(t *testing.T) {
	arena := tensor.NewArena(1)
	a, b := arena.Tape(), arena.Tape()
	x := a.Variable(vector(1, 2, 3))
	// The backward pass returns buffers to the arena that a has had.
	a.Grad(x.Exp().Mul(x).Tanh().Square(), x)
	y := b.Variable(vector(4, 5, 6))
	var held []*tensor.Tensor
	for range 10 {
		held = append(held, y.MulScalar(2))
	}
	a.Close()
	c := arena.Tape()
	z := c.Variable(vector(0, 0, 0))
	for range 20 {
		z.AddScalar(7)
	}
	for _, h := range held {
		expect(t, "a value of the tape still open", h, 8, 10, 12)
	}
	c.Close()
	b.Close()
	b.Close() // closing again has no effect
	d := arena.Tape()
	defer d.Close()
	seen := map[*float32]bool{}
	for range 40 {
		p := &d.Variable(vector(1)).Neg().Data()[0]
		if seen[p] {
			t.Fatal("one buffer is given out twice")
		}
		seen[p] = true
	}
}

func TestArenaThreads(t *testing.T) {
	if n := tensor.NewArena(3).Threads(); n != 3 {
		t.Errorf("%d threads, want 3", n)
	}
	arena := tensor.NewArena(0)
	if n := arena.Threads(); n != runtime.GOMAXPROCS(0) {
		t.Errorf("%d threads, want all %d", n, runtime.GOMAXPROCS(0))
	}
	tape := arena.Tape()
	defer tape.Close()
	if tape.Threads() != arena.Threads() {
		t.Error("tape and arena disagree about threads")
	}
}
