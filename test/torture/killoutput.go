//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
)

// killOutput kills processes that write a file or a folder.
var killOutput = scenario{
	name:  "kill/output",
	about: "predict, embed, evaluate and data convert are killed at random moments: what they write is whole, old or absent, and nothing is left once the next one is done",
	share: 4, quick: 8,
	trial: func(t *trial) {
		kind := outputs[t.index%len(outputs)]
		run := t.trained("hyperdrop")
		prepare := func(t *trial) {
			t.takes("BIG")
			t.must(os.CopyFS(t.path("run"), os.DirFS(filepath.Join(run.dir, "run"))))
		}
		c := call{args: append(kind.args[:len(kind.args):len(kind.args)], "--quiet")}
		r := t.reference("output-"+kind.out, prepare, c)
		prepare(t)
		var old []byte
		if kind.replaces && t.IntN(2) == 0 {
			old = []byte("what was there before\n")
			t.write(kind.out, old)
		}
		ended := false
		for range 2 + t.IntN(4) {
			ended = t.killed(c, r.took)
			if !t.sameOutput(r, kind.out, old, ended) || ended {
				break
			}
			if exists(t.path(kind.out)) && !kind.replaces {
				t.must(os.RemoveAll(t.path(kind.out))) // whole before the signal came
			}
		}
		if !ended {
			t.run(c)
		}
		t.sameOutput(r, kind.out, nil, true)
		t.leftovers()
	},
}

// outputs are the calls that write something.
var outputs = []struct {
	out      string
	replaces bool // what is there
	args     []string
}{
	{"p.csv", true, []string{"predict", "run", "data/BIG", "--out", "p.csv"}},
	{"p.parquet", true, []string{"predict", "run", "data/BIG", "--out", "p.parquet"}},
	{"e.npy", true, []string{"embed", "run", "data/BIG", "--level", "node", "--out", "e.npy"}},
	{"e.jsonl", true, []string{"embed", "run", "data/BIG", "--level", "edge", "--out", "e.jsonl"}},
	{"c.zip", false, []string{"data", "convert", "data/BIG", "c.zip"}},
	{"c-tu", false, []string{"data", "convert", "data/BIG", "c-tu"}},
	{"c-csv", false, []string{"data", "convert", "data/BIG", "c-csv", "--to", "csv"}},
	{"c-parquet", false, []string{"data", "convert", "data/BIG", "c-parquet", "--to", "parquet"}},
}

// sameOutput checks that a file or folder has the content of the reference or, where the
// process was killed, the old one or none.
func (t *trial) sameOutput(r *reference, name string, old []byte, ended bool) bool {
	have, want := tree(t.path(name)), tree(filepath.Join(r.dir, name))
	switch {
	case equalTrees(have, want):
	case ended:
		t.finding("%s differs from that of the uninterrupted process", name)
		return false
	case len(have) == 0 || old != nil && len(have) == 1 && bytes.Equal(have["."], old):
	default:
		t.finding("%s is neither whole nor as it was: %d files", name, len(have))
		return false
	}
	return true
}

// tree reads a file or the files of a folder.
func tree(path string) map[string][]byte {
	out := map[string][]byte{}
	_ = filepath.WalkDir(path, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(path, name)
			out[rel], _ = readRegular(name)
		}
		return nil
	})
	return out
}

func equalTrees(a, b map[string][]byte) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for name, text := range a {
		if other, ok := b[name]; !ok || !bytes.Equal(text, other) {
			return false
		}
	}
	return true
}
