package smiles

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// Texts reads the SMILES of a file without parsing them. For a table it reads the column found by
// convention. For any other file, which may be gzipped, it reads the first word of each line that
// is neither empty nor begins with #. label names a second column to read; it may be empty.
func Texts(path, label string) (smiles, labels []string, err error) {
	if endsWith(path, blockEndings) {
		return nil, nil, &data.ParseError{File: filepath.Base(path), Msg: "is an SD file, expected a table or lines of SMILES"}
	}
	if !tables.IsTable(path) {
		if label != "" {
			return nil, nil, &data.ParseError{File: filepath.Base(path), Msg: fmt.Sprintf("is no table, so it has no column %q", label)}
		}
		smiles, err = lines(path)
		return smiles, nil, err
	}
	rows, err := tables.OpenRows(path, data.NewBudget(0))
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	wrong := func(format string, args ...any) error {
		return &data.ParseError{File: filepath.Base(path), Line: 1, Msg: fmt.Sprintf(format, args...)}
	}
	at, with := find(rows.Columns(), columnNames...), -1
	if at < 0 {
		return nil, nil, wrong("no column of SMILES, expected %s: there are %s", strings.Join(columnNames, ", "), listed(rows.Columns()))
	}
	if label != "" {
		if with = find(rows.Columns(), label); with < 0 {
			return nil, nil, wrong("no column %q, expected one of %s", label, listed(rows.Columns()))
		}
	}
	err = rows.Each(func(row []string) error {
		smiles = append(smiles, strings.Clone(strings.TrimSpace(row[at])))
		if with >= 0 {
			labels = append(labels, strings.Clone(strings.TrimSpace(row[with])))
		}
		return nil
	})
	return smiles, labels, err
}

// lines returns the first words of the lines of a file.
func lines(path string) (out []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(strings.ToLower(path), ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, &data.ParseError{File: filepath.Base(path), Msg: "cannot be read", Err: err}
		}
	}
	s := bufio.NewScanner(in)
	s.Buffer(nil, 8*chem.MaxSMILES)
	n := 0
	for s.Scan() {
		n++
		if words := strings.Fields(s.Text()); len(words) > 0 && !strings.HasPrefix(words[0], "#") {
			out = append(out, words[0])
		}
	}
	if err := s.Err(); err != nil {
		return nil, &data.ParseError{File: filepath.Base(path), Line: n + 1, Msg: "cannot be read", Err: err}
	}
	return out, nil
}

// Locate finds a list of molecules: a path, or a name in a data folder, where the file is
// molecules/NAME.csv.gz; the folder molecules or .gz may be missing.
func Locate(dir, name string) (path string, err error) {
	tried := []string{name}
	if dir != "" && name == filepath.Base(name) {
		for _, folder := range []string{filepath.Join(dir, "molecules"), dir} {
			tried = append(tried, filepath.Join(folder, name+".csv.gz"), filepath.Join(folder, name+".csv"))
		}
	}
	for _, path := range tried {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("smiles: no list of molecules %q: there is no %s", name, strings.Join(tried, ", nor "))
}
