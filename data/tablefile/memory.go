package tablefile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"github.com/ehgnn/ehgnn/data/schema"
)

// inMemory reads a table that is in memory.
type inMemory struct {
	names []string
	rows  int
	cell  func(row, column int) schema.Cell
	next  int
	row   schema.Row
	sum   hash.Hash
}

// FromMemory reads a table whose rows are in memory. Names of columns follow the rules of Reader.
func FromMemory(names []string, rows int, cell func(row, column int) schema.Cell) Reader {
	m := &inMemory{names: names, rows: rows, cell: cell, row: make(schema.Row, len(names)), sum: sha256.New()}
	fmt.Fprintf(m.sum, "%q\n", names)
	return m
}

func (m *inMemory) Columns() []string { return m.names }

func (m *inMemory) Next() (schema.Row, error) {
	if m.next == m.rows {
		return nil, io.EOF
	}
	for c := range m.row {
		m.row[c] = m.cell(m.next, c)
		fmt.Fprintf(m.sum, "%d %q\n", m.row[c].Kind, m.row[c].String())
	}
	m.next++
	return m.row, nil
}

func (m *inMemory) Line(int) int { return m.next }

func (m *inMemory) Total() (int64, bool) { return int64(m.rows), true }

func (m *inMemory) Share() float64 { return float64(m.next) / float64(max(m.rows, 1)) }

func (m *inMemory) Notes() []string { return nil }

func (m *inMemory) Close() (string, error) {
	if m.next < m.rows {
		return "", nil
	}
	return hex.EncodeToString(m.sum.Sum(nil)), nil
}
