package data

import (
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
)

// readMapping reads the SMILES of mapping/mol.csv, a CSV with a header, and the names of the
// labels: the columns other than smiles and mol_id, if there are as many as labels. Without the
// file both are nil.
func readMapping(f *folder, graphs, targets int) (smiles, names []string, err error) {
	const file = "mapping/mol.csv"
	if !f.has(file) {
		return nil, nil, nil
	}
	l, err := f.open(file)
	if err != nil {
		return nil, nil, err
	}
	smiles, names = l.mapping(graphs)
	if err := l.close(); err != nil {
		return nil, nil, err
	}
	if len(names) != targets {
		names = nil
	}
	return smiles, names, nil
}

func (l *lines) mapping(graphs int) (smiles, names []string) {
	r := csv.NewReader(l.buf)
	r.ReuseRecord = true
	record := func() ([]string, bool) {
		l.text.Record(l.buf.Buffered())
		fields, err := r.Read()
		if err == nil {
			l.line, _ = r.FieldPos(0)
			return fields, true
		}
		var syntax *csv.ParseError
		switch {
		case err == io.EOF:
			l.err = io.EOF
		case errors.As(err, &syntax):
			l.fail(&ParseError{Line: syntax.Line, Msg: "is not CSV: " + syntax.Err.Error()})
		default:
			l.failure(err)
		}
		return nil, false
	}
	header, ok := record()
	if !ok {
		l.short("expected a header")
		return nil, nil
	}
	at := -1
	for i, name := range header {
		switch name {
		case "smiles":
			at = i
		case "mol_id":
		default:
			names = append(names, name)
		}
	}
	if at < 0 {
		l.failf("no column smiles")
		return nil, nil
	}
	for {
		fields, ok := record()
		if !ok {
			if len(smiles) < graphs {
				l.short("expected a header and %d lines, one per graph", graphs)
			}
			return smiles, names
		}
		if len(smiles) == graphs {
			l.failf("more lines than the %d expected behind the header, one per graph", graphs)
			return nil, nil
		}
		if !l.charge(len(fields[at])+32, "SMILES") {
			return nil, nil
		}
		// A copy: the field would keep its whole line in memory.
		smiles = append(smiles, string([]byte(fields[at])))
	}
}

// readSplit reads split/scaffold, or the only folder in split: train.csv, valid.csv and test.csv
// with one graph per line, each graph at most once.
func readSplit(f *folder, info *Info) (*Split, error) {
	entries, err := fs.ReadDir(f.fsys, path.Join(f.dir, "split"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &ParseError{File: "split", Msg: "cannot be listed", Err: err}
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && !hidden(e.Name()) {
			names = append(names, e.Name())
		}
	}
	s := &Split{Name: "scaffold"}
	switch {
	case len(names) == 0:
		return nil, nil
	case slices.Contains(names, s.Name):
	case len(names) == 1:
		s.Name = names[0]
	default:
		info.note("no split: split has the folders %s, none of them scaffold", some(names))
		return nil, nil
	}
	used := make([]string, info.NumGraphs) // the file that names a graph
	left := info.NumGraphs
	for _, part := range []struct {
		name string
		to   *[]int
	}{{"train", &s.Train}, {"valid", &s.Valid}, {"test", &s.Test}} {
		file := path.Join("split", s.Name, part.name+".csv")
		ids, err := readIndices(f, file, info.NumGraphs, func(l *lines, id int32) bool {
			if used[id] != "" {
				l.failf("graph %d is already in %s", id, used[id])
				return false
			}
			used[id] = file
			left--
			return true
		})
		if err != nil {
			return nil, err
		}
		*part.to = make([]int, len(ids))
		for i, id := range ids {
			(*part.to)[i] = int(id)
		}
	}
	if left > 0 {
		info.note("%d graphs are in no part of the %s split", left, s.Name)
	}
	return s, nil
}
