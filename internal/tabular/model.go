package tabular

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Model is a trained network with its inputs. Several goroutines may use it.
type Model struct {
	Threads  int // for Predict and Hidden; 0 for all processors
	spec     Spec
	net      *network
	expander *expander
}

func newModel(spec Spec, net *network) *Model {
	return &Model{spec: spec, net: net, expander: newExpander(&spec.Inputs)}
}

// Spec describes the model.
func (m *Model) Spec() Spec { return m.spec }

// Params returns the arrays of the model in a fixed order.
func (m *Model) Params() []*tensor.Param { return m.net.Params() }

// Outputs is the number of outputs of a row.
func (m *Model) Outputs() int { return m.spec.Outputs() }

// check returns an error for rows whose columns are not those that the model reads.
func (m *Model) check(rows Rows, out []float32, width int) error {
	if err := rows.check("rows"); err != nil {
		return err
	}
	in := &m.spec.Inputs
	switch {
	case rows.Static.Cols != in.Static || rows.Labels.Cols != in.Labels:
		return fmt.Errorf("tabular: rows have %d static and %d label columns, expected %d and %d",
			rows.Static.Cols, rows.Labels.Cols, in.Static, in.Labels)
	case m.net.messages == nil && rows.Around != nil:
		return fmt.Errorf("tabular: rows have neighbours, and the network reads none")
	case len(out) != rows.Len()*width:
		return fmt.Errorf("tabular: %d outputs of %d rows, expected %d of each", len(out), rows.Len(), width)
	}
	if m.net.messages != nil {
		return rows.Around.check("rows", rows.Len(), m.spec.Messages)
	}
	return nil
}

// Predict writes the outputs of rows to out [rows, Outputs]: logarithms of class probabilities (the
// mean over members), or numbers in the unit of the targets.
func (m *Model) Predict(ctx context.Context, rows Rows, out []float32) error {
	if err := m.check(rows, out, m.spec.Outputs()); err != nil {
		return err
	}
	arena := openArena(m.Threads)
	defer arenas.Put(arena)
	return m.predict(ctx, arena, par.New(m.Threads), rows, out)
}

// arenas holds the memory of finished predictions for reuse, so that predictions of a few rows do not spend their time
// on allocation.
var arenas sync.Pool

func openArena(threads int) *tensor.Arena {
	if a, ok := arenas.Get().(*tensor.Arena); ok && a.Threads() == par.New(threads).Threads() {
		return a
	}
	return tensor.NewArena(threads)
}

func (m *Model) predict(ctx context.Context, arena *tensor.Arena, pool *par.Pool, rows Rows, out []float32) error {
	width := m.spec.Outputs()
	return m.chunks(ctx, arena, pool, rows, func(p *pass, x *inputs, lo int) {
		z := m.net.forward(p, x)
		n := x.rows()
		pool.Rows(n, 64, func(from, to int) {
			for i := from; i < to; i++ {
				m.outputs(out[(lo+i)*width:][:width], z.Data(), i, n)
			}
		})
	})
}

// Hidden writes the last hidden layer of rows, averaged over members, to out [rows, Units].
func (m *Model) Hidden(ctx context.Context, rows Rows, out []float32) error {
	units := m.spec.Units
	if err := m.check(rows, out, units); err != nil {
		return err
	}
	arena := openArena(m.Threads)
	defer arenas.Put(arena)
	return m.chunks(ctx, arena, par.New(m.Threads), rows, func(p *pass, x *inputs, lo int) {
		h := m.net.hidden(p, x).Reshape(x.rows(), m.spec.Members, units).MeanAxis(1)
		copy(out[lo*units:], h.Data())
	})
}

// chunkRows is how many rows go through the network at once outside training.
const chunkRows = 512

// chunks calls f with the inputs of at most chunkRows rows, starting at row lo. f may be called concurrently: without
// message passing and with enough chunks, each thread has its own chunks, which is faster than all threads on one
// chunk.
func (m *Model) chunks(ctx context.Context, arena *tensor.Arena, pool *par.Pool, rows Rows, f func(p *pass, x *inputs, lo int)) (err error) {
	defer tensor.Catch(&err)
	c := chunker{m: m, rows: rows, f: f}
	c.first = m.net.first(m.expander, valueOf, len(m.expander.encoded) > 0)
	if rows.Around != nil {
		c.around = m.net.messages.sampler(rows.Around, pool)
	}
	n := (rows.Len() + chunkRows - 1) / chunkRows
	if rows.Around != nil || n < pool.Threads() {
		c.run(ctx, arena, pool, 0, n)
	} else {
		pool.Rows(n, 1, func(lo, hi int) { c.run(ctx, tensor.NewArena(1), par.New(1), lo, hi) })
	}
	return ctx.Err()
}

// chunker has the state of chunks.
type chunker struct {
	m      *Model
	rows   Rows
	around *sampler
	first  *weights
	f      func(p *pass, x *inputs, lo int)
}

// run calls f for the chunks [lo,hi) until ctx ends.
func (c *chunker) run(ctx context.Context, arena *tensor.Arena, pool *par.Pool, lo, hi int) {
	ids := make([]int32, 0, chunkRows)
	for ; lo < hi && ctx.Err() == nil; lo++ {
		ids = ids[:0]
		for i := lo * chunkRows; i < min((lo+1)*chunkRows, c.rows.Len()); i++ {
			ids = append(ids, int32(i))
		}
		c.chunk(arena, pool, ids)
	}
}

func (c *chunker) chunk(arena *tensor.Arena, pool *par.Pool, ids []int32) {
	tape := arena.Tape()
	defer tape.Close()
	p := &pass{Pass: nn.Pass{Tape: tape}, first: c.first}
	c.f(p, c.m.net.withMessages(p, c.m.expander.inputs(tape, pool, c.rows, ids), c.around, ids), int(ids[0]))
}

// outputs writes the outputs of row i of n, given the network's z [members, n, out].
func (m *Model) outputs(dst, z []float32, i, n int) {
	s := &m.spec
	k := s.logits()
	if s.numbers() {
		for c := range dst {
			sum := 0.0
			for b := range s.Members {
				sum += float64(z[(b*n+i)*k+c])
			}
			dst[c] = float32(s.Mean + s.Deviation*sum/float64(s.Members))
		}
		return
	}
	// The logarithm of the mean probability; subtracting the greatest first keeps the sum finite.
	for b := range s.Members {
		logits := z[(b*n+i)*k:][:k]
		if k == 1 {
			at := float64(logits[0])
			addLog(dst, 0, b, -softplus(at))
			addLog(dst, 1, b, -softplus(-at))
			continue
		}
		total := logSumExp(logits)
		for c, v := range logits {
			addLog(dst, c, b, float64(v)-total)
		}
	}
	for c := range dst {
		dst[c] -= float32(math.Log(float64(s.Members)))
	}
}

// addLog is dst[c] = log(exp(dst[c]) + exp(v)); for the first member b it is dst[c] = v.
func addLog(dst []float32, c, b int, v float64) {
	if b > 0 {
		most, least := max(v, float64(dst[c])), min(v, float64(dst[c]))
		v = most + math.Log1p(math.Exp(least-most))
	}
	dst[c] = float32(v)
}

// softplus is log(1 + eˣ).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func logSumExp(x []float32) float64 {
	most := float64(x[0])
	for _, v := range x {
		most = max(most, float64(v))
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - most)
	}
	return most + math.Log(sum)
}
