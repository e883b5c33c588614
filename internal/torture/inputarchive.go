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
		row := strings.Repeat(pick(t, "1, 2\n", "1\n", "0\n", "\x00", "9"), 1<<18)
		bomb := func(w io.Writer) {
			for range (1 + t.IntN(3000)) * 1_000_000 / len(row) {
				_, _ = io.WriteString(w, row) // into memory
			}
		}
		archive := t.packed(files, bomb)
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

// packed makes a zip, a tar or a gzipped tar of files. A nil text is the bomb.
func (t *trial) packed(files map[string][]byte, bomb func(io.Writer)) []byte {
	var b bytes.Buffer
	names := sortedNames(files)
	if t.IntN(2) == 0 {
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
			if err != nil {
				continue // a name that a zip cannot hold
			}
			if files[name] == nil && strings.HasPrefix(name, "TOY/TOY_") {
				bomb(w)
			}
			_, _ = w.Write(files[name]) // into memory
		}
		_ = z.Close()
		return b.Bytes()
	}
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range names {
		text := files[name]
		if text == nil && strings.HasPrefix(name, "TOY/TOY_") {
			var big countingBuffer
			bomb(&big)
			text = bytes.Repeat([]byte(pick(t, "1\n", "1, 2\n", "0")), min(int(big), 200_000_000)/5)
		}
		if w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatPAX}) != nil {
			continue // a name that a tar cannot hold
		}
		_, _ = w.Write(text) // into memory
	}
	_, _ = w.Close(), z.Close()
	return b.Bytes()
}

// countingBuffer counts what is written to it.
type countingBuffer int

func (c *countingBuffer) Write(p []byte) (int, error) {
	*c += countingBuffer(len(p))
	return len(p), nil
}
