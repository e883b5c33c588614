package session

import (
	"context"

	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/source"
)

// findParts finds the part of each row, if the table is the training table.
func (st *Stream) findParts(ctx context.Context) error {
	trained := st.session.Settings.Data
	if smiles.Checksum(st.options.Data, st.options.MaxMemory) != trained.Checksum {
		return nil
	}
	s, err := Load(ctx, st.dir, st.options)
	if err != nil || !s.own {
		return err
	}
	d, ok := s.Data.(*source.MoleculeData)
	if !ok {
		return nil
	}
	st.parts = map[int]string{}
	for _, name := range source.Parts() {
		if p := s.Parts[name]; p != nil {
			for g := range p.Graphs {
				st.parts[d.Set.Rows[p.ID(source.Place{Graph: g})]] = name
			}
		}
	}
	return nil
}

// partColumn returns the column of the parts of rows, if they are known.
func (st *Stream) partColumn(rows []int) []report.Column {
	if st.parts == nil {
		return nil
	}
	of := lists.Map(rows, func(row int) string { return st.parts[row] })
	return []report.Column{report.Strings("part", of)}
}
