//go:build linux

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// inputArchive reads archives that unpack to too much, lie or lead out of their folder.
var inputArchive = scenario{
	name:  "input/archive",
	about: "zips, tars and gzip that unpack to gigabytes, have thousands of entries, lie about sizes or lead out of their folder",
	share: 1, quick: 12,
	trial: func(t *trial) {
		files := map[string][]byte{}
		for name, text := range tree(t.lab.set("TOY")) {
			files["TOY/"+name] = text
		}
		name := "TOY/TOY_" + pick(t, "A", "graph_indicator", "graph_labels", "node_labels", "edge_labels") + ".txt"
		switch t.IntN(6) {
		case 0: // a bomb; never more than 3 GB, in case it is unpacked
			files[name] = nil
		case 1:
			for i := range 1 << t.IntN(16) {
				files[fmt.Sprintf("TOY/%d.txt", i)] = nil
			}
		case 2:
			files[pick(t, "../../escaped", "/escaped", "TOY/../../escaped", "TOY/\x00", "TOY\\..\\escaped", strings.Repeat("d/", 5000)+"f", strings.Repeat("n", 60_000), "\x1b[2J")] = []byte("1\n")
		case 3:
			files[name] = t.spoiled(files[name])
		}
		row := []byte(strings.Repeat(pick(t, "1, 2\n", "1\n", "0\n", "\x00", "9"), 1<<18))
		archive := t.packed(files, row, (1+t.IntN(3000))*1_000_000/len(row))
		path := "set" + pick(t, ".zip", ".tar", ".tar.gz", ".tgz", "")
		if t.IntN(3) == 0 {
			for range 1 + t.IntN(20) {
				archive[t.IntN(len(archive))] = byte(t.IntN(256))
			}
		}
		if t.IntN(8) == 0 {
			archive = archive[:t.IntN(len(archive))]
		}
		t.write(path, archive)
		t.reads(path)
		for _, escaped := range []string{filepath.Join(t.dir, "..", "escaped"), filepath.Join(t.dir, "..", "..", "escaped"), "/escaped", t.path("escaped")} {
			if exists(escaped) {
				t.finding("the archive has written %s", escaped)
				t.must(os.Remove(escaped))
			}
		}
	},
}

// packed makes a zip, a tar or a gzipped tar of files. A nil text of a file of the set is the
// bomb: rows again and again.
func (t *trial) packed(files map[string][]byte, row []byte, times int) []byte {
	var b bytes.Buffer
	bomb := func(name string) bool { return files[name] == nil && strings.HasPrefix(name, "TOY/TOY_") }
	content := func(w io.Writer, name string) {
		_, _ = w.Write(files[name]) // into memory
		if bomb(name) {
			for range times {
				_, _ = w.Write(row)
			}
		}
	}
	if t.IntN(2) == 0 {
		z := zip.NewWriter(&b)
		for _, name := range sortedNames(files) {
			if w, err := z.Create(name); err == nil { // a zip cannot hold every name
				content(w, name)
			}
		}
		_ = z.Close()
		return b.Bytes()
	}
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range sortedNames(files) {
		size := len(files[name])
		if bomb(name) {
			size = times * len(row)
		}
		if w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(size), Format: tar.FormatPAX}) == nil { // nor a tar
			content(w, name)
		}
	}
	_, _ = w.Close(), z.Close()
	return b.Bytes()
}
