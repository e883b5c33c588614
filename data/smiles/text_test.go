package smiles_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/smiles"
)

func TestTexts(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte("smiles,active\nCCO,1\nC(,0\n"))
	z.Close()
	for _, c := range []struct {
		file, content, label string
		smiles, labels       []string
		wrong                string
	}{
		{file: "a.smi", content: "CCO ethanol\n\n# a remark\n  CC\r\n", smiles: []string{"CCO", "CC"}},
		{file: "a.csv.gz", content: zipped.String(), label: "active", smiles: []string{"CCO", "C("}, labels: []string{"1", "0"}},
		{file: "b.csv", content: "id,SMILES\n1,CC\n", smiles: []string{"CC"}},
		{file: "b.csv", content: "id,SMILES\n1,CC\n", label: "active", wrong: `no column "active"`},
		{file: "c.csv", content: "id,text\n1,CC\n", wrong: "no column of SMILES"},
		{file: "a.smi", content: "CC", label: "active", wrong: "is no table"},
		{file: "a.smi.gz", content: "CC", wrong: "cannot be read"},
		{file: "long.smi", content: strings.Repeat("C", 1<<20), wrong: "long.smi:1"},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		got, labels, err := smiles.Texts(path, c.label)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v, expected %s", c.file, err, c.wrong)
			}
			continue
		}
		if err != nil || !slices.Equal(got, c.smiles) || !slices.Equal(labels, c.labels) {
			t.Errorf("%s: %q, %q, %v, expected %q, %q", c.file, got, labels, err, c.smiles, c.labels)
		}
	}
	if _, _, err := smiles.Texts(filepath.Join(t.TempDir(), "none.smi"), ""); err == nil {
		t.Error("read a file that is not there")
	}
}

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "molecules"), 0o777)
	for _, name := range []string{"a.csv", "molecules/a.csv.gz", "b.csv"} {
		os.WriteFile(filepath.Join(dir, name), nil, 0o666)
	}
	for _, c := range [][2]string{{"a", "molecules/a.csv.gz"}, {"b", "b.csv"}, {filepath.Join(dir, "a.csv"), "a.csv"}} {
		if got, err := smiles.Locate(dir, c[0]); err != nil || got != filepath.Join(dir, c[1]) {
			t.Errorf("%s: %s, %v, expected %s", c[0], got, err, c[1])
		}
	}
	for _, name := range []string{"c", "../a", "molecules"} {
		if got, err := smiles.Locate(dir, name); err == nil {
			t.Errorf("%s is %s", name, got)
		}
	}
}
