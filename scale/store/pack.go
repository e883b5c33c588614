package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/par"
)

// PackOptions are the options of Pack.
type PackOptions struct {
	Options
	// Edges and Nodes are files of tables. Edges are numbered in the order of their files. Nodes
	// may be empty.
	Edges, Nodes []string
	// Tables has the roles of columns. Tables.Form is Directed or Undirected. With an Encoder, the
	// roles must be those of the encoder.
	Tables tables.Options
	// EdgeID is a column with names of edges, which are stored and are no feature. It may be empty.
	EdgeID string
	// Encoder encodes features. If it is nil, an encoder is fitted on the training edges of Split
	// and their nodes.
	Encoder *tables.Encoder
	Split   Splitting
	// Memory is the approximate memory for packing, in bytes. 0 means 2 GiB, but at most half of
	// the free memory.
	Memory  int64
	Threads int // 0 for all processors; the files do not depend on it
	// Progress is called with the number of rows, blocks or parts that are done in a step, and
	// their total, 0 if unknown. Remark is called with remarks on what a user might not expect.
	// Both may be nil.
	Progress func(step string, done, total int64)
	Remark   func(text string)
}

// Pack writes tables of any size as a store. It reads the edges once, once more before that to fit
// an encoder, and once more for a split by time. The same holds for nodes.
//
// Edges, nodes and features equal those of tables.Open for the same tables, with two differences.
// Each row is an edge: if tables of an undirected graph list every edge in both directions, Open
// reads each two rows as one edge, but Pack returns an error. A random split assigns edges by a
// hash of the nodes and all columns except label, group and part, which tables.Set.Split keeps
// together, so it is not stratified by class.
func Pack(ctx context.Context, dir string, o PackOptions) (*Manifest, error) {
	p := &packer{PackOptions: o, ctx: ctx}
	if err := p.defaults(); err != nil {
		return nil, err
	}
	w, err := Create(dir)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	p.w, p.dir = w, filepath.Join(w.folder.Path, "work")
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	for _, step := range []func() error{p.prepare, p.readEdges, p.spread, p.fitNodes, p.readNodes, p.writeParts, p.writeBlocks} {
		if err := step(); err != nil {
			return nil, packError(err)
		}
	}
	if err := os.RemoveAll(p.dir); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return &p.m, w.Commit(&p.m)
}

// packError returns an error of packing. Errors of rows already have their file.
func packError(err error) error {
	if parse := (*data.ParseError)(nil); errors.As(err, &parse) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("store: %w", err)
}

// packer is the state of a packing.
type packer struct {
	PackOptions
	ctx   context.Context
	w     *Writer
	dir   string // folder of files that are removed at the end
	m     Manifest
	split *splitter

	telling sync.Mutex
	edgeFit *tables.Fitter // if an encoder is fitted
	sum     string         // checksum of the tables of edges, after they were read
	rows    int64          // number of rows of the tables that are read, 0 while unknown

	edgeID   int          // position of the column PackOptions.EdgeID
	edgeScan *tables.Scan // the scan that has read all edges
	oneBlock int64        // approximate memory of a block
	nodes    distinct     // number of nodes at edges
	met      [][]uint32   // number of nodes of each block in each part
}

func (p *packer) defaults() error {
	if p.Memory <= 0 {
		p.Memory = 2 << 30
		if free := memory.Free(); free > 0 {
			p.Memory = min(p.Memory, free/2)
		}
	}
	if p.Encoder != nil {
		if len(p.Nodes) == 0 && len(p.Encoder.Nodes) > 0 {
			return errors.New("store: the encoder has features of nodes, for which a table of nodes is not given")
		}
		given := p.Tables
		p.Tables = p.Encoder.Reading()
		p.Tables.MaxMemory = given.MaxMemory
		if p.Split.By == tables.ByColumn {
			p.Tables.Part = cmp.Or(given.Part, p.Tables.Part)
		}
	} else if p.Split.By == "" {
		return errors.New("store: an encoder is fitted on training edges, so the edges must be split; or the encoder of a run is given")
	}
	if p.EdgeID != "" && p.Encoder == nil {
		p.Tables.Ignore = append(slices.Clone(p.Tables.Ignore), p.EdgeID)
	}
	if p.Split.By == tables.ByColumn && p.Tables.Part == "" {
		return fmt.Errorf("store: split %s needs the name of a column of parts", tables.ByColumn)
	}
	if p.Tables.Form == data.Auto {
		return errors.New("store: whether edges are directed cannot be told from a stream, so it must be given")
	}
	if len(p.Edges) == 0 {
		return errors.New("store: no tables of edges")
	}
	if len(p.Nodes) > 0 && p.Tables.Nodes.None() {
		if p.Encoder != nil {
			return errors.New("store: the run was trained without a table of nodes, so none is expected")
		}
		p.Tables.Nodes = nil
	}
	for _, name := range slices.Concat(p.Edges, p.Nodes) {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return &data.ParseError{File: name, Msg: "is a folder, a pipe or a device, expected a file, which is read more than once"}
		}
	}
	o, err := p.withDefaults(1)
	if err == nil {
		p.BlockEdges = o.BlockEdges
	}
	return err
}

// file returns the path of the file of a part.
func (p *packer) file(name string, part int) string {
	return filepath.Join(p.dir, fmt.Sprintf("%s-%04d", name, part))
}

// tick reports progress. It is called at every row of edges or nodes.
func (p *packer) tick(step string, scan *tables.Scan) error {
	if n := scan.Row() + 1; n%1024 == 0 {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		p.progress(step, n, p.rows)
	}
	return nil
}

func (p *packer) progress(step string, done, total int64) {
	if p.Progress != nil {
		p.telling.Lock()
		defer p.telling.Unlock()
		p.Progress(step, done, total)
	}
}

func (p *packer) remark(format string, args ...any) {
	if p.Remark != nil {
		p.Remark(fmt.Sprintf(format, args...))
	}
}

func (p *packer) scanEdges() (*tables.Scan, error) { return tables.ScanEdges(p.Edges, p.Tables) }
func (p *packer) scanNodes() (*tables.Scan, error) { return tables.ScanNodes(p.Nodes, p.Tables) }

// each calls row for each row of a scan and then closes the scan.
func (p *packer) each(step string, scan *tables.Scan, row func() error) error {
	defer scan.Close()
	for {
		if err := scan.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := row(); err != nil {
			return err
		}
		if err := p.tick(step, scan); err != nil {
			return err
		}
	}
}

// prepare checks the columns, and reads the edges before they are packed, as far as needed: their
// times for a split by time, and the columns for fitting an encoder.
func (p *packer) prepare() error {
	edges, err := p.scanEdges()
	if err != nil {
		return err
	}
	defer edges.Close()
	var nodes *tables.Scan
	if len(p.Nodes) > 0 {
		if nodes, err = p.scanNodes(); err != nil {
			return err
		}
		defer nodes.Close()
	}
	if err := tables.CheckColumns(edges, nodes); err != nil {
		return err
	}
	if p.EdgeID != "" {
		if p.edgeID, err = edges.Column(p.EdgeID); err != nil {
			return err
		}
	}
	p.split, err = newSplitter(p.Split, p.dir, p.scanEdges, func(s *tables.Scan) error { return p.tick("times of edges", s) })
	if err != nil || p.Encoder != nil {
		return err
	}
	scan, err := p.scanEdges()
	if err != nil {
		return err
	}
	p.edgeFit = scan.Fitter()
	err = p.each("columns of edges", scan, func() error {
		part, err := p.split.of(scan)
		if err != nil {
			return err
		}
		return p.edgeFit.Add(part == InTrain)
	})
	if err != nil {
		return err
	}
	p.rows, p.sum = scan.Row()+1, tables.ScanChecksum(scan)
	return p.fitted(nil) // nodes follow
}

// fitted sets the encoder from the fitted columns of edges and, unless nodes is nil, of nodes.
func (p *packer) fitted(nodes *tables.Fitter) error {
	e, notes, err := p.edgeFit.Encoder(nodes, p.Tables.Form == data.Directed)
	if nodes != nil || len(p.Nodes) == 0 { // otherwise the remarks come with those of nodes
		for _, n := range notes {
			p.remark("%s", n)
		}
	}
	if p.Encoder = e; e != nil {
		p.Tables.WholeIDs, p.Tables.Kinds = e.Options.WholeIDs, e.Options.Kinds
	}
	return err
}

// parallel calls f with the numbers below n. It uses as many threads as memory allows, if one call
// takes the given bytes, and stops at the first error.
func (p *packer) parallel(step string, n int, bytes int64, f func(i int) error) error {
	threads := min(par.New(p.Threads).Threads(), int(max(p.Memory/2/max(bytes, 1), 1)))
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	var done atomic.Int64
	par.Map(ctx, threads, items, func(i int) struct{} {
		if err := f(i); err != nil {
			cancel(err)
		}
		p.progress(step, done.Add(1), int64(n))
		return struct{}{}
	})
	return context.Cause(ctx)
}
