//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
)

// inputTables reads damaged CSV and TSV.
var inputTables = scenario{
	name:  "input/tables",
	about: "CSV and TSV with odd values, open quotes, many columns, wrong encodings, gzip bombs",
	share: 1, quick: 14,
	trial: func(t *trial) {
		t.takes("payments")
		name := "data/payments/" + pick(t, "edges.csv", "edges.csv", "nodes.csv")
		switch t.IntN(8) {
		case 0:
			t.write(name, []byte(t.wideTable()))
		case 1: // a table that its unpacking makes long
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			fmt.Fprint(z, "source,target,label\n")
			row := []byte(strings.Repeat(pick(t, "a,b,x\n", "1,2,\"", "\x00", "1,1,1\n"), 10_000))
			for range 1 + t.IntN(300) {
				_, _ = z.Write(row) // into memory
			}
			_ = z.Close()
			t.must(removeFile(t.path("data/payments/edges.csv")))
			t.write("data/payments/edges.csv.gz", b.Bytes())
		case 2: // nodes and edges that have nothing to do with each other
			t.write("data/payments/nodes.csv", []byte("id,x\n"+strings.Repeat(t.odd()+",1\n", 3)))
		default:
			t.write(name, t.spoiled(t.read(name)))
		}
		var more []string
		if t.IntN(4) == 0 {
			more = append(more, "--"+pick(t, "label", "time", "group", "ignore", "categories", "source"), pick(t, "amount", "label", "minute", "region", "none", "\x1b[2J", ""))
		}
		t.reads("data/payments", more...)
	},
}

// wideTable is a table with too much of something.
func (t *trial) wideTable() string {
	n := 1 << t.IntN(17)
	switch t.IntN(5) {
	case 0: // columns
		var names []string
		for i := range n / 4 {
			names = append(names, fmt.Sprint("c", i))
		}
		return "source,target," + strings.Join(names, ",") + "\na,b" + strings.Repeat(",1", len(names)) + "\n"
	case 1: // the same column again and again
		return "source,target" + strings.Repeat(",x", n/4) + "\n"
	case 2: // rows without end of a quote
		return "source,target,label\n\"" + strings.Repeat("a,b\n", n)
	case 3: // every value another category
		var b strings.Builder
		b.WriteString("source,target,label,kind\n")
		for i := range n {
			fmt.Fprintf(&b, "n%d,n%d,%d,k%d\n", i, i+1, i%2, i)
		}
		return b.String()
	}
	// one node with all edges
	return "source,target,label\n" + strings.Repeat("hub,a,x\nb,hub,y\n", n/2)
}

// inputParquet reads damaged Parquet.
var inputParquet = scenario{
	name:  "input/parquet",
	about: "Parquet with flipped bits, wrong sizes in the footer and pages cut off",
	share: 1, quick: 10,
	trial: func(t *trial) {
		t.takes("parquet")
		name := "data/parquet/" + pick(t, "edges.parquet", "edges.parquet", "nodes.parquet")
		text := t.read(name)
		switch t.IntN(4) {
		case 0: // the footer
			text = bytes.Clone(text)
			footer := min(len(text), 3000)
			for range 1 + t.IntN(6) {
				text[len(text)-1-t.IntN(footer)] = byte(t.IntN(256))
			}
		case 1: // its length
			text = bytes.Clone(text)
			copy(text[len(text)-8:], []byte{byte(t.IntN(256)), byte(t.IntN(256)), byte(t.IntN(256)), byte(t.IntN(256))})
		case 2:
			text = bytes.Clone(text)
			for range 1 + t.IntN(40) {
				text[t.IntN(len(text))] ^= 1 << t.IntN(8)
			}
		default:
			text = t.spoiled(text)
		}
		t.write(name, text)
		t.reads("data/parquet")
	},
}
