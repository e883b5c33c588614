package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// spillShare divides the memory: records on their way to files may take this part of it.
const spillShare = 16

func (p *packer) newSpill(name string) *spill {
	return &spill{path: func(part int) string { return p.file(name, part) }, buf: make([][]byte, p.Parts), most: int(p.Memory / spillShare)}
}

// spread writes the nodes of the blocks to files by part, in the order of the blocks.
func (p *packer) spread() error {
	nodes := p.nodes.estimate()
	o, err := p.withDefaults(nodes)
	if err != nil {
		return err
	}
	p.Parts = o.Parts
	p.m.BlockEdges, p.m.Parts = p.BlockEdges, make([]int, p.Parts)
	if each := nodes / int64(p.Parts) * partNodeBytes; each > p.Memory/2 {
		return fmt.Errorf("a part of about %d nodes takes more than half of the memory that packing may take: choose more --parts or --memory", nodes/int64(p.Parts))
	}
	files := p.newSpill("nodes")
	var record []byte
	var n node
	for i := range p.m.Blocks {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		met := make([]uint32, p.Parts)
		err := readSpill(p.raw(i, "names"), func(r *bufio.Reader) error {
			if err := n.read(r); err != nil {
				return err
			}
			part := int(hashID(n.id) % uint64(p.Parts))
			met[part]++
			record = appendText(record[:0], string(n.id))
			record = binary.AppendUvarint(record, n.ends)
			return files.add(part, binary.AppendUvarint(record, n.at))
		})
		if err != nil {
			return err
		}
		p.met = append(p.met, met)
		p.progress("nodes of blocks", int64(i+1), int64(p.m.Blocks))
	}
	return files.flush()
}

// partNodeBytes is the approximate memory of a node while its part is written, without features.
const partNodeBytes = 200

// fitNodes reads the nodes at training edges for an encoder that is fitted.
func (p *packer) fitNodes() error {
	if p.edgeFit == nil || len(p.Nodes) == 0 {
		return nil
	}
	scan, err := p.scanNodes()
	if err != nil {
		return err
	}
	rows := p.newSpill("rows")
	var record []byte
	err = p.each("ids of nodes", scan, func() error {
		id, err := scan.ID()
		if err != nil {
			return err
		}
		record = binary.AppendUvarint(appendText(record[:0], id), uint64(scan.Row()))
		return rows.add(PartOf(id, p.Parts), record)
	})
	if err = errors.Join(err, rows.flush()); err != nil {
		return err
	}
	trains := make([]uint64, scan.Row()/64+1) // a bit for each row
	var mu sync.Mutex
	err = p.parallel("nodes of training", p.Parts, p.partBytes(graph.Features{}), func(part int) error {
		of := map[string]bool{}
		var n node
		err := readSpill(p.file("nodes", part), func(r *bufio.Reader) error {
			err := n.read(r)
			if n.ends&1 == 1 {
				of[string(n.id)] = true
			}
			return err
		})
		if err != nil {
			return err
		}
		defer os.Remove(rows.path(part))
		var id []byte
		return readSpill(rows.path(part), func(r *bufio.Reader) error {
			if id, err = readText(r, id); err != nil {
				return err
			}
			row, err := binary.ReadUvarint(r)
			if err == nil && of[string(id)] {
				mu.Lock()
				trains[row/64] |= 1 << (row % 64)
				mu.Unlock()
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	if scan, err = p.scanNodes(); err != nil {
		return err
	}
	fit := scan.Fitter()
	err = p.each("columns of nodes", scan, func() error {
		row := scan.Row()
		return fit.Add(row/64 < int64(len(trains)) && trains[row/64]>>(row%64)&1 == 1)
	})
	if err != nil {
		return err
	}
	return p.fitted(fit)
}

// readNodes encodes the tables of nodes and writes them to files by part.
func (p *packer) readNodes() error {
	p.m.Encoder = p.Encoder
	p.m.Checksum = p.sum
	if len(p.Nodes) == 0 {
		return nil
	}
	scan, err := p.scanNodes()
	if err != nil {
		return err
	}
	defer scan.Close()
	rows, err := scan.Encoder(p.Encoder)
	if err != nil {
		return err
	}
	files := p.newSpill("features")
	f := rows.Layout()
	var record []byte
	err = p.each("nodes", scan, func() error {
		id, err := scan.ID()
		if err != nil {
			return err
		}
		f.Dense, f.Code = f.Dense[:0], f.Code[:0]
		if err := rows.Append(&f); err != nil {
			return err
		}
		record = binary.AppendUvarint(appendText(record[:0], id), uint64(scan.Row()))
		for _, v := range f.Dense {
			record = binary.LittleEndian.AppendUint32(record, math.Float32bits(v))
		}
		for _, c := range f.Code {
			record = binary.LittleEndian.AppendUint32(record, uint32(c))
		}
		return files.add(PartOf(id, p.Parts), record)
	})
	if err = errors.Join(err, files.flush()); err != nil {
		return err
	}
	p.m.Checksum = tables.ScanChecksum(p.edgeScan, scan)
	p.remarkUnseen(rows)
	return nil
}
