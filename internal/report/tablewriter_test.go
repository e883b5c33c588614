package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
)

func piece(rows []int, texts []string, vectors []float32) *report.Table {
	return &report.Table{Columns: []report.Column{report.Ints("row", rows), report.Strings("text", texts), report.Vectors("v", vectors, 2)}}
}

// A table written in pieces equals the table written at once, in every format except NPY.
func TestTableWriter(t *testing.T) {
	whole := piece([]int{1, 2, 3}, []string{"a", "b,\"", ""}, []float32{1, 2, 3, 4, 5, 6})
	parts := []*report.Table{piece([]int{1, 2}, []string{"a", "b,\""}, []float32{1, 2, 3, 4}), piece(nil, nil, nil), piece([]int{3}, []string{""}, []float32{5, 6})}
	dir := t.TempDir()
	for _, ext := range report.TableExtensions() {
		want, got := filepath.Join(dir, "whole"+ext), filepath.Join(dir, "pieces"+ext)
		w, err := report.CreateTable(got)
		if ext == ".npy" {
			if err == nil || !strings.Contains(err.Error(), "NPY cannot be written piece by piece") {
				t.Errorf("NPY: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		for _, p := range parts {
			if err := w.Write(p); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(got); err == nil {
			t.Errorf("%s is there before it is complete", got)
		}
		if err := w.Close(); err != nil || w.Rows() != 3 {
			t.Fatalf("%v, %d rows", err, w.Rows())
		}
		if err := report.WriteTable(want, whole); err != nil {
			t.Fatal(err)
		}
		a, _ := os.ReadFile(want)
		b, err := os.ReadFile(got)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %v, %q in pieces, %q whole", ext, err, b, a)
		}
	}
	var b bytes.Buffer
	w := report.NewTableWriter(&b, true)
	for _, p := range parts {
		if err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Write(&report.Table{Columns: whole.Columns[:2]}); err == nil {
		t.Error("a piece without a column was taken")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := whole.MarshalJSON()
	bare := func(text string) string { return strings.ReplaceAll(text, "\n", "") }
	if got := b.String(); err != nil || bare(got) != bare(string(text)) {
		t.Errorf("%v: %s in pieces, %s whole", err, got, text)
	}
}

// After a flush the rows of a stream are written, before the stream is complete.
func TestTableWriterFlush(t *testing.T) {
	for _, json := range []bool{false, true} {
		var b bytes.Buffer
		w := report.NewTableWriter(&b, json)
		if err := w.Write(piece([]int{1}, []string{"first"}, []float32{1, 2})); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil || !strings.Contains(b.String(), "first") {
			t.Errorf("json %v: %v, %q", json, err, b.String())
		}
	}
}
