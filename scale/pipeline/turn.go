package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

func init() {
	register.DoFn3x1[context.Context, int64, func(int64, []byte), error](&Scatter{})
	register.DoFn5x1[context.Context, int64, func(*[]byte) bool, func(int64, []byte), func(int64, []byte), error](&Reduce{})
	register.DoFn4x1[context.Context, int64, func(*[]byte) bool, func(int64, []byte), error](&Apply{})
	register.DoFn3x1[context.Context, int64, func(int64, []byte), error](&Alone{})
	register.DoFn3x1[context.Context, int64, func(*[]byte) bool, error](&Collect{})
	register.Emitter2[int64, []byte]()
	register.Iter1[[]byte]()
}

// build returns the job of a turn.
func (d *driver) build(t Turn) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	blocks := make([]int64, d.store.Manifest.Blocks)
	for i := range blocks {
		blocks[i] = int64(i)
	}
	// Created elements form one bundle, for one worker, unless they are shuffled.
	in := beam.Reshuffle(s, beam.CreateList(s, blocks))
	if d.program.NodeWidth(t.Index) == 0 {
		collect(s, &Collect{t, len(blocks)}, beam.ParDo(s, &Alone{Turn: t}, in))
		return p
	}
	said := beam.GroupByKey(s, beam.ParDo(s, &Scatter{Turn: t}, in))
	answers, notes := beam.ParDo2(s, &Reduce{Turn: t}, said)
	if t.Writes == visit.NodeVectors && t.Index == d.program.Turns()-1 {
		collect(s, &Collect{t, 0}, notes) // no visits of blocks follow
		return p
	}
	applied := beam.ParDo(s, &Apply{Turn: t}, beam.GroupByKey(s, answers))
	collect(s, &Collect{t, len(blocks)}, beam.Flatten(s, notes, applied))
	return p
}

func collect(s beam.Scope, f *Collect, notes beam.PCollection) {
	beam.ParDo0(s, f, beam.GroupByKey(s, notes))
}

// Scatter reads blocks and sends each part the sums of a block, keyed by part.
type Scatter struct {
	Turn    Turn
	site    *site
	scatter visit.Scatter
}

// Setup opens the run and the store.
func (f *Scatter) Setup(ctx context.Context) (err error) {
	f.site, err = f.Turn.open(ctx)
	return err
}

// ProcessElement sends the sums of a block.
func (f *Scatter) ProcessElement(ctx context.Context, block int64, emit func(int64, []byte)) error {
	b, err := f.site.store.Block(ctx, int(block))
	if err != nil {
		return err
	}
	t, width := &f.Turn, 0
	var message []float32
	if t.Index > 0 {
		width = f.site.program.MessageWidth(t.Index - 1)
		name := messageName(t.Index-1, b.Index)
		if f.site.program.MessageIsState(t.Index - 1) {
			name = stateName(t.Index-1, b.Index)
		}
		if message, err = f.site.numbers(ctx, t, name, b.NumEdges()*width); err != nil {
			return err
		}
	}
	if block == 0 {
		// A part whose nodes have no edges is visited like others.
		for p := range f.site.store.Manifest.Parts {
			emit(int64(p), nil)
		}
	}
	return f.scatter.Each(b, visit.All, message, width, t.Shift, nil, func(s *visit.Sums) error {
		emit(int64(s.Part), s.AppendBinary(nil, t.Shift))
		return nil
	})
}

// Reduce adds the sums for a part, and answers the blocks with the rows of their nodes, keyed by
// block. Its second output is records.
type Reduce struct {
	Turn Turn
	site *site
}

// Setup opens the run and the store.
func (f *Reduce) Setup(ctx context.Context) (err error) {
	f.site, err = f.Turn.open(ctx)
	return err
}

// asked has the nodes of a part that a block needs.
type asked struct {
	block int
	ranks []int32
}

// ProcessElement makes the visit of a part.
func (f *Reduce) ProcessElement(ctx context.Context, part int64, said func(*[]byte) bool, answer, note func(int64, []byte)) error {
	t, program := &f.Turn, f.site.program
	p, err := f.site.store.Part(ctx, int(part))
	if err != nil {
		return err
	}
	rec := Record{Block: -1, Part: p.Index}
	width := 0
	if t.Index > 0 {
		width = program.MessageWidth(t.Index - 1)
	}
	total := visit.NewTotal(len(p.IDs), width, t.Shift)
	asks, err := f.add(p, total, said, &rec)
	if err != nil {
		return err
	}
	d := program.NodeWidth(t.Index)
	var last []float32
	if t.Index == 0 {
		total = nil
	} else if w := program.NodeWidth(t.Index - 1); w > 0 {
		if last, err = f.site.numbers(ctx, t, rowsName(t.Index-1, p.Index), len(p.IDs)*w); err != nil {
			return err
		}
	}
	rows, err := program.Part(t.Index, p, last, total, nil)
	if err != nil {
		return err
	}
	if err := f.write(ctx, p, rows, &rec); err != nil {
		return err
	}
	for _, a := range asks {
		b := make([]byte, 0, 4+4*d*len(a.ranks))
		b = binary.LittleEndian.AppendUint32(b, uint32(p.Index))
		for _, r := range a.ranks {
			b = appendNumbers(b, rows[int(r)*d:][:d])
		}
		rec.Shuffled += int64(len(b))
		answer(int64(a.block), b)
	}
	return rec.send(note)
}

// add adds the sums of blocks for a part, and lists the nodes that they need.
func (f *Reduce) add(p *store.Part, total *visit.Total, said func(*[]byte) bool, rec *Record) ([]asked, error) {
	var asks []asked
	seen := map[int]bool{}
	for b := []byte(nil); said(&b); {
		if len(b) == 0 {
			continue
		}
		s, shift, err := visit.DecodeSums(b)
		if err != nil {
			return nil, err
		}
		if s.Part != p.Index || shift != total.Shift || seen[s.Block] {
			return nil, fmt.Errorf("pipeline: part %d got sums of block %d for part %d with shift %d, expected one for each block with shift %d", p.Index, s.Block, s.Part, shift, total.Shift)
		}
		seen[s.Block] = true
		if err := total.Add(s); err != nil {
			return nil, err
		}
		slices.Sort(s.Rank)
		asks = append(asks, asked{s.Block, s.Rank})
		rec.Shuffled += int64(len(b))
	}
	return asks, nil
}

// write stores the rows of a part for its next turn, and writes them if they are results.
func (f *Reduce) write(ctx context.Context, p *store.Part, rows []float32, rec *Record) (err error) {
	t, program := &f.Turn, f.site.program
	next := t.Index + 1
	if next < program.Turns() && program.NodeWidth(next) > 0 {
		err = rec.keep(ctx, t, rowsName(t.Index, p.Index), rows)
	}
	if next == program.Turns() && t.Writes == visit.NodeVectors {
		err = rec.result(ctx, t, p.Index, func(w io.Writer) error { return visit.WriteNodes(w, p, rows, program.NodeVectors()) })
	}
	return err
}

// Apply receives the rows of a block's nodes, makes the visit of the block and writes the results.
// Its output is records.
type Apply struct {
	Turn   Turn
	site   *site
	result visit.Result
}

// Setup opens the run and the store.
func (f *Apply) Setup(ctx context.Context) (err error) {
	f.site, err = f.Turn.open(ctx)
	return err
}

// ProcessElement makes the visit of a block.
func (f *Apply) ProcessElement(ctx context.Context, block int64, answers func(*[]byte) bool, note func(int64, []byte)) error {
	b, err := f.site.store.Block(ctx, int(block))
	if err != nil {
		return err
	}
	nodes, err := gather(b, f.site.program.NodeWidth(f.Turn.Index), answers)
	if err != nil {
		return err
	}
	return f.block(ctx, b, nodes, note)
}

// gather puts the rows that parts sent for the nodes of a block in their order.
func gather(b *store.Block, d int, answers func(*[]byte) bool) ([]float32, error) {
	nodes := make([]float32, b.NumNodes()*d)
	have := make([]bool, len(b.PartPtr)-1)
	for a := []byte(nil); answers(&a); {
		if len(a) < 4 {
			return nil, fmt.Errorf("pipeline: block %d got an answer of %d bytes", b.Index, len(a))
		}
		p := int(binary.LittleEndian.Uint32(a))
		if p >= len(have) || have[p] {
			return nil, fmt.Errorf("pipeline: block %d got a second answer of part %d, or one of a part that is not there", b.Index, p)
		}
		have[p] = true
		lo, hi := int(b.PartPtr[p]), int(b.PartPtr[p+1])
		if err := decodeNumbers(nodes[lo*d:hi*d], a[4:]); err != nil {
			return nil, fmt.Errorf("pipeline: rows of part %d for block %d: %w", p, b.Index, err)
		}
	}
	for p, ok := range have {
		if !ok && b.PartPtr[p] < b.PartPtr[p+1] {
			return nil, fmt.Errorf("pipeline: block %d got no answer of part %d, in which it has %d nodes", b.Index, p, b.PartPtr[p+1]-b.PartPtr[p])
		}
	}
	return nodes, nil
}

// block makes the visit of a block.
func (f *Apply) block(ctx context.Context, b *store.Block, nodes []float32, note func(int64, []byte)) error {
	t, program := &f.Turn, f.site.program
	var state []float32
	if t.Index > 0 {
		if w := program.StateWidth(t.Index - 1); w > 0 {
			var err error
			if state, err = f.site.numbers(ctx, t, stateName(t.Index-1, b.Index), b.NumEdges()*w); err != nil {
				return err
			}
		}
	}
	if err := program.Block(t.Index, b, visit.All, nodes, state, &f.result); err != nil {
		return err
	}
	rec := Record{Block: b.Index, Part: -1, Greatest: f.result.Greatest}
	if err := f.keep(ctx, b, &rec); err != nil {
		return err
	}
	return rec.send(note)
}

// keep writes the state and the messages of a block or, after the last turn, its results.
func (f *Apply) keep(ctx context.Context, b *store.Block, rec *Record) error {
	t, program := &f.Turn, f.site.program
	if t.Index < program.Turns()-1 {
		if program.StateWidth(t.Index) > 0 {
			if err := rec.keep(ctx, t, stateName(t.Index, b.Index), f.result.State); err != nil {
				return err
			}
		}
		if program.MessageWidth(t.Index) > 0 && !program.MessageIsState(t.Index) {
			return rec.keep(ctx, t, messageName(t.Index, b.Index), f.result.Message)
		}
		return nil
	}
	names, err := f.site.store.Names(ctx, b.Index)
	if err != nil {
		return err
	}
	return rec.result(ctx, t, b.Index, func(w io.Writer) error {
		if t.Writes == visit.EdgeVectors {
			return visit.WriteVectors(w, b, names, &f.result)
		}
		return visit.WritePredictions(w, f.site.run, b, names, &f.result)
	})
}

// Alone makes the visits of blocks in a turn without visits of parts.
type Alone struct {
	Turn  Turn
	apply Apply
}

// Setup opens the run and the store.
func (f *Alone) Setup(ctx context.Context) error {
	f.apply.Turn = f.Turn
	return f.apply.Setup(ctx)
}

// ProcessElement makes the visit of a block.
func (f *Alone) ProcessElement(ctx context.Context, block int64, note func(int64, []byte)) error {
	b, err := f.apply.site.store.Block(ctx, int(block))
	if err != nil {
		return err
	}
	return f.apply.block(ctx, b, nil, note)
}

// Collect writes the records of a turn when all of them have arrived.
type Collect struct {
	Turn   Turn
	Blocks int
}

// ProcessElement writes the records in the order of blocks and parts.
func (f *Collect) ProcessElement(ctx context.Context, _ int64, notes func(*[]byte) bool) error {
	var records []Record
	for b := []byte(nil); notes(&b); {
		var r Record
		if err := json.Unmarshal(b, &r); err != nil {
			return fmt.Errorf("pipeline: record %s: %w", b, err)
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Part, b.Part))
	})
	last := -1
	for _, r := range records {
		if r.Block >= 0 && r.Block != last+1 {
			return fmt.Errorf("pipeline: turn %d: block %d follows %d, expected each once", f.Turn.Index, r.Block, last)
		}
		last = max(last, r.Block)
	}
	if last != f.Blocks-1 {
		return fmt.Errorf("pipeline: turn %d: %d blocks were visited, expected %d", f.Turn.Index, last+1, f.Blocks)
	}
	b, err := json.Marshal(records)
	if err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	_, err = writeFile(ctx, join(f.Turn.Work, recordsName(f.Turn.Index)), func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(b))
		return err
	})
	return err
}

// keep writes numbers for the next turn.
func (r *Record) keep(ctx context.Context, t *Turn, name string, x []float32) error {
	f, err := writeFile(ctx, join(t.Work, name), func(w io.Writer) error { return writeNumbers(w, x) })
	if r.Kept == nil {
		r.Kept = map[string]store.File{}
	}
	r.Kept[name] = f
	return err
}

// result writes a file of results.
func (r *Record) result(ctx context.Context, t *Turn, i int, write func(io.Writer) error) error {
	f, err := writeFile(ctx, join(t.Out, visit.OutputName(i)), write)
	r.Results = map[string]store.File{visit.OutputName(i): f}
	return err
}

// send sends a record to Collect.
func (r *Record) send(note func(int64, []byte)) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("pipeline: record of block %d, part %d: %w", r.Block, r.Part, err)
	}
	note(0, b)
	return nil
}
