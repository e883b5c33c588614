package store

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/par"
)

// rawBlock is a block before its nodes have ranks. Its ends are positions in ids, and it has a
// single part with all nodes.
type rawBlock struct {
	Block
	ids  []string
	name []string // name of each edge, if a column has it
	of   map[string]int32
	ends []uint64 // of each node: twice the number of its edge ends in the block, plus 1 if one of them is of a training edge
	at   []int64  // the first of these ends, counted from 0 over all edges
}

// raw returns the path of a raw block.
func (p *packer) raw(i int, kind string) string {
	return filepath.Join(p.dir, fmt.Sprintf("raw-%06d.%s", i, kind))
}

// readEdges encodes the edges and writes them as raw blocks.
func (p *packer) readEdges() error {
	scan, err := p.scanEdges()
	if err != nil {
		return err
	}
	defer scan.Close()
	rows, err := scan.Encoder(p.Encoder)
	if err != nil {
		return err
	}
	labels, _, _ := scan.Has()
	p.oneBlock = p.blockBytes(rows)
	if most := p.Memory / 4; p.oneBlock > most {
		return fmt.Errorf("a block of %d edges takes %s, expected at most %s, a quarter of the memory that packing may take: choose a smaller --block or more --memory",
			p.BlockEdges, memory.Text(p.oneBlock), memory.Text(most))
	}
	var b *rawBlock
	var mirror mirrors
	writer := &behind{}
	defer writer.wait()
	finish := func() error {
		full := b
		b = nil
		p.m.Blocks++
		if p.m.Blocks > mostBlocks {
			return fmt.Errorf("more than %d blocks: choose a larger --block", int(mostBlocks))
		}
		p.m.Met += int64(len(full.ids))
		for _, id := range full.ids {
			p.nodes.add(id)
		}
		return writer.do(func() error { return p.writeRaw(full) })
	}
	err = p.each("edges", scan, func() error {
		if b == nil {
			b = &rawBlock{Block: Block{Index: p.m.Blocks, First: scan.Row(), Edge: rows.Layout()}, of: map[string]int32{}}
			b.Edge.Code = nil
		}
		if err := p.addEdge(b, scan, rows, labels); err != nil {
			return err
		}
		mirror.add(scan, b)
		if b.NumEdges() == p.BlockEdges {
			return finish()
		}
		return nil
	})
	if err == nil && b != nil {
		err = finish()
	}
	if werr := writer.wait(); err == nil {
		err = werr
	}
	if err != nil {
		return err
	}
	return p.edgesRead(scan, rows, &mirror)
}

// edgesRead records what reading the edges has found.
func (p *packer) edgesRead(scan *tables.Scan, rows *tables.RowEncoder, mirror *mirrors) error {
	p.m.Edges, p.m.EdgeID, p.m.Directed, p.m.Labels = scan.Row()+1, p.EdgeID, p.Tables.Form == data.Directed, rows.Labels() > 0
	sum := tables.ScanChecksum(scan)
	if p.sum != "" && sum != p.sum {
		return fmt.Errorf("the tables of edges changed while they were read")
	}
	p.rows, p.sum, p.edgeScan = 0, sum, scan
	if p.Split.By != "" {
		p.m.Split = &Split{Kind: p.Split.By, Edges: [3]int64(p.split.count[:3])}
		if err := p.split.check(); err != nil {
			return err
		}
	}
	if mirror.all() {
		if !p.m.Directed {
			return &data.ParseError{File: p.Edges[0], Msg: "every edge is listed in both directions, which are two edges here: list each once"}
		}
		p.remark("every edge is listed in both directions: ehgnn reads such tables as undirected, each pair as one edge; here they are directed")
	}
	p.remarkUnseen(rows)
	return nil
}

func (p *packer) remarkUnseen(rows *tables.RowEncoder) {
	for _, u := range rows.Unseen() {
		if u.Label {
			p.remark("%s", u)
			continue
		}
		p.remark("%d %ss have a category of %s that training lacked, such as %q", u.Rows, u.Of, u.Column, u.Example)
	}
}

// blockBytes returns the approximate memory of a block while it is read or written.
func (p *packer) blockBytes(rows *tables.RowEncoder) int64 {
	idBytes := 150 // including its entry in a map
	if p.EdgeID != "" {
		idBytes += 50
	}
	f := rows.Layout()
	return int64(p.BlockEdges) * int64(4*(f.Dim+len(f.Codes))+16+idBytes)
}

// addEdge adds the current row of a scan to a block.
func (p *packer) addEdge(b *rawBlock, scan *tables.Scan, rows *tables.RowEncoder, labels bool) error {
	from, to, err := scan.Ends()
	if err != nil {
		return err
	}
	part, err := p.split.of(scan)
	if err != nil {
		return err
	}
	if p.EdgeID != "" {
		b.name = append(b.name, strings.Clone(scan.Text(p.edgeID)))
	}
	if p.split.count[part]++; p.Split.By != "" {
		b.Part = append(b.Part, part)
	}
	for side, id := range []string{from, to} {
		v, ok := b.of[id]
		if !ok {
			v = int32(len(b.ids))
			id = strings.Clone(id) // otherwise the id would keep its whole row in memory
			b.of[id] = v
			b.ids, b.ends, b.at = append(b.ids, id), append(b.ends, 0), append(b.at, 2*scan.Row()+int64(side))
		}
		b.Ends = append(b.Ends, v)
		if b.ends[v] += 2; part == InTrain {
			b.ends[v] |= 1
		}
	}
	if err := rows.Append(&b.Edge); err != nil || !labels {
		return err
	}
	if p.Encoder.Options.Number {
		y, err := rows.Number()
		b.Number = append(b.Number, y)
		return err
	}
	c, err := rows.Class()
	b.Class = append(b.Class, c)
	return err
}

// writeRaw writes a raw block: the block, its ids, and for each id the numbers that follow it in
// the files of parts.
func (p *packer) writeRaw(b *rawBlock) error {
	b.of = nil
	b.PartPtr, b.Rank = []int32{0, int32(len(b.ids))}, make([]int32, len(b.ids))
	for i := range b.Rank {
		b.Rank[i] = int32(i)
	}
	write := func(kind string, f func(w io.Writer) error) error {
		file, err := os.Create(p.raw(b.Index, kind))
		if err != nil {
			return err
		}
		defer file.Close()
		w := bufio.NewWriterSize(file, 1<<16)
		if err := f(w); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return file.Close()
	}
	if p.EdgeID != "" {
		if err := p.w.EdgeIDs(b.Index, b.name); err != nil {
			return err
		}
	}
	if err := write("block", func(w io.Writer) error { return encodeBlock(w, &b.Block) }); err != nil {
		return err
	}
	return write("names", func(w io.Writer) error {
		var record []byte
		for i, id := range b.ids {
			record = appendText(record[:0], id)
			record = binary.AppendUvarint(record, b.ends[i])
			record = binary.AppendUvarint(record, uint64(b.at[i]))
			if _, err := w.Write(record); err != nil {
				return err
			}
		}
		return nil
	})
}

// readRaw reads a raw block and its ids.
func (p *packer) readRaw(i int) (*Block, []string, error) {
	f, err := os.Open(p.raw(i, "block"))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	b, err := decodeBlock(p.ctx, f, info.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	ids := make([]string, 0, len(b.Rank))
	var n node
	err = readSpill(p.raw(i, "names"), func(r *bufio.Reader) error {
		err := n.read(r)
		ids = append(ids, string(n.id))
		return err
	})
	return b, ids, err
}

// node is a node of a block in the files of parts.
type node struct {
	id   []byte
	ends uint64
	at   uint64
}

func (n *node) read(r *bufio.Reader) (err error) {
	if n.id, err = readText(r, n.id); err != nil {
		return err
	}
	if n.ends, err = binary.ReadUvarint(r); err != nil {
		return err
	}
	n.at, err = binary.ReadUvarint(r)
	return err
}

// behind runs one function at a time in the background.
type behind struct {
	group *par.Group
	err   error
}

// do waits for the last function and starts the next.
func (b *behind) do(f func() error) error {
	if err := b.wait(); err != nil {
		return err
	}
	b.group = &par.Group{}
	b.group.Go(func() { b.err = f() })
	return nil
}

func (b *behind) wait() error {
	if b.group != nil {
		b.group.Wait()
		b.group = nil
	}
	return b.err
}

// mirrors detects whether every edge has a reverse edge with all other columns equal: then the sum
// of the hashes of the edges in one direction equals that of the other direction.
type mirrors struct {
	sum   uint64
	edges int64
	buf   []byte
}

func (m *mirrors) add(scan *tables.Scan, b *rawBlock) {
	e := b.NumEdges() - 1
	u, v := b.ids[b.Ends[2*e]], b.ids[b.Ends[2*e+1]]
	if u == v {
		return
	}
	m.buf = scan.AppendMirror(m.buf[:0])
	if m.edges++; u < v {
		m.sum += hashID(m.buf)
	} else {
		m.sum -= hashID(m.buf)
	}
}

func (m *mirrors) all() bool { return m.sum == 0 && m.edges > 0 }
