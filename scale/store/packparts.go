package store

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// partBytes returns the approximate memory of a part while it is written.
func (p *packer) partBytes(f graph.Features) int64 {
	return p.nodes.estimate() / int64(p.Parts) * int64(partNodeBytes+8*(f.Dim+len(f.Codes)))
}

// writeParts writes the parts, and the rank of each node of a block.
func (p *packer) writeParts() error {
	// The first end of an edge whose node is in no table of nodes, and the first row with the id of
	// an earlier row.
	missing, twice := int64(math.MaxInt64), int64(math.MaxInt64)
	layout := schema.Layout(p.Encoder.Nodes)
	err := p.parallel("parts", p.Parts, p.partBytes(layout), func(k int) error {
		part, err := p.gather(k)
		if err != nil {
			return err
		}
		if err := part.features(p, layout); err != nil {
			return err
		}
		p.telling.Lock()
		p.m.Parts[k] = len(part.ids)
		p.m.Nodes += int64(len(part.ids))
		p.m.MostEntries = max(p.m.MostEntries, slices.Max(append(part.entries, 0)))
		missing, twice = min(missing, part.missing), min(twice, part.twice)
		p.telling.Unlock()
		if part.missing < math.MaxInt64 {
			return nil // which is an error below, when all are known
		}
		return part.write(p)
	})
	if err != nil {
		return err
	}
	if twice < math.MaxInt64 {
		return p.nodeError(twice)
	}
	if missing < math.MaxInt64 {
		return p.endError(missing)
	}
	return nil
}

// building is a part in progress. Nodes are in the order in which blocks have them.
type building struct {
	index   int
	ids     []string
	of      map[string]int32
	entries []int64 // number of edge ends of each node
	at      []int64 // the first of these ends
	rank    []int32
	node    graph.Features // in the order of ranks

	missing, twice int64
}

// gather reads the nodes of a part.
func (p *packer) gather(k int) (*building, error) {
	b := &building{index: k, of: map[string]int32{}, missing: math.MaxInt64, twice: math.MaxInt64}
	var n node
	err := readSpill(p.file("nodes", k), func(r *bufio.Reader) error {
		if err := n.read(r); err != nil {
			return err
		}
		v, ok := b.of[string(n.id)]
		if !ok {
			v = int32(len(b.ids))
			id := string(n.id)
			b.of[id] = v
			b.ids, b.entries, b.at = append(b.ids, id), append(b.entries, 0), append(b.at, int64(n.at))
		}
		b.entries[v] += int64(n.ends >> 1)
		return nil
	})
	order := make([]int32, len(b.ids))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(b.ids[i], b.ids[j]) })
	b.rank = make([]int32, len(order))
	for r, i := range order {
		b.rank[i] = int32(r)
	}
	return b, err
}

// features reads the features of the nodes. Without a table of nodes they are the constant 1.
func (b *building) features(p *packer, layout graph.Features) error {
	if len(p.Nodes) == 0 {
		b.node = graph.Ones(len(b.ids))
		return nil
	}
	dim, codes := layout.Dim, len(layout.Codes)
	b.node = graph.Features{Dim: dim, Codes: layout.Codes}
	if dim > 0 {
		b.node.Dense = make([]float32, len(b.ids)*dim)
	}
	if codes > 0 {
		b.node.Code = make([]int32, len(b.ids)*codes)
	}
	has := make([]bool, len(b.ids))
	others := map[string]bool{} // nodes without edges
	var id []byte
	row := make([]byte, 4*(dim+codes))
	err := readSpill(p.file("features", b.index), func(r *bufio.Reader) (err error) {
		if id, err = readText(r, id); err != nil {
			return err
		}
		line, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		if _, err := io.ReadFull(r, row); err != nil {
			return err
		}
		v, ok := b.of[string(id)]
		if ok && has[v] || !ok && others[string(id)] {
			b.twice = min(b.twice, int64(line))
			return nil
		}
		if !ok {
			others[string(id)] = true
			return nil
		}
		has[v] = true
		at := int(b.rank[v])
		for i := range dim {
			b.node.Dense[at*dim+i] = math.Float32frombits(binary.LittleEndian.Uint32(row[4*i:]))
		}
		for i := range codes {
			b.node.Code[at*codes+i] = int32(binary.LittleEndian.Uint32(row[4*(dim+i):]))
		}
		return nil
	})
	for v, ok := range has {
		if !ok {
			b.missing = min(b.missing, b.at[v])
		}
	}
	return err
}

// write writes the part, and the rank of each node of a block to a file for the blocks.
func (b *building) write(p *packer) error {
	part := &Part{Index: b.index, IDs: make([]string, len(b.ids)), Node: b.node}
	for i, id := range b.ids {
		part.IDs[b.rank[i]] = id
	}
	if err := p.w.Part(part); err != nil {
		return err
	}
	f, err := os.Create(p.file("ranks", b.index))
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<16)
	var n node
	err = readSpill(p.file("nodes", b.index), func(r *bufio.Reader) error {
		if err := n.read(r); err != nil {
			return err
		}
		var rank [4]byte
		binary.LittleEndian.PutUint32(rank[:], uint32(b.rank[b.of[string(n.id)]]))
		_, err := w.Write(rank[:])
		return err
	})
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return err
	}
	return errors.Join(remove(p.file("nodes", b.index)), remove(p.file("features", b.index)))
}

// remove removes a file, which may be missing.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// nodeError returns the error for a row with the id of an earlier row. It reads the tables again, for
// the file and line.
func (p *packer) nodeError(row int64) error {
	scan, err := p.scanNodes()
	if err != nil {
		return err
	}
	if err := p.find(scan, row); err != nil {
		return err
	}
	defer scan.Close()
	id, err := scan.ID()
	if err != nil {
		return err
	}
	return scan.Wrong(fmt.Errorf("is %q, which is the id of an earlier line", id))
}

// endError returns the error for the end of an edge whose id is no node.
func (p *packer) endError(end int64) error {
	scan, err := p.scanEdges()
	if err != nil {
		return err
	}
	if err := p.find(scan, end/2); err != nil {
		return err
	}
	defer scan.Close()
	from, to, err := scan.Ends()
	if err != nil {
		return err
	}
	if end%2 == 0 {
		return scan.Wrong(fmt.Errorf("is %q, which is not a node of the tables of nodes", from))
	}
	return scan.WrongTarget(fmt.Errorf("is %q, which is not a node of the tables of nodes", to))
}

// find reads up to a row.
func (p *packer) find(scan *tables.Scan, row int64) error {
	for scan.Row() < row {
		if err := scan.Next(); err != nil {
			scan.Close()
			return err
		}
		if err := p.tick("rows", scan); err != nil {
			return err
		}
	}
	return nil
}

// writeBlocks sets the ranks of the blocks' nodes, and writes the blocks.
func (p *packer) writeBlocks() error {
	from := make([][]int64, p.m.Blocks) // where the ranks of each block begin in the file of each part
	sum := make([]int64, p.Parts)
	for i, met := range p.met {
		from[i] = slices.Clone(sum)
		for k, n := range met {
			sum[k] += int64(n)
		}
	}
	return p.parallel("blocks", p.m.Blocks, 2*p.oneBlock, func(i int) error { return p.writeBlock(i, from[i]) })
}

func (p *packer) writeBlock(i int, from []int64) error {
	b, ids, err := p.readRaw(i)
	if err != nil {
		return err
	}
	ranks := make([][]byte, p.Parts)
	for k, n := range p.met[i] {
		if ranks[k], err = readAt(p.file("ranks", k), 4*from[k], 4*int(n)); err != nil {
			return err
		}
	}
	at := make([]place, len(ids))
	for v, id := range ids {
		k := PartOf(id, p.Parts)
		at[v] = place{int32(k), int32(binary.LittleEndian.Uint32(ranks[k]))}
		ranks[k] = ranks[k][4:]
	}
	names := make([]string, len(ids))
	for k, v := range b.setEnds(b.Ends, at, p.Parts) {
		names[k] = ids[v]
	}
	if !p.m.Labels {
		b.Class, b.Number = nil, nil
	}
	if err := p.w.Block(b, names); err != nil {
		return err
	}
	return errors.Join(os.Remove(p.raw(i, "block")), os.Remove(p.raw(i, "names")))
}

// readAt reads n bytes of a file.
func readAt(path string, from int64, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, n)
	_, err = f.ReadAt(b, from)
	return b, err
}
