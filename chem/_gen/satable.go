// Command satable packs RDKit's table of fragment values for package chem, see satable.go
// there: satable fpscores.pkl.gz fpscores.bin.gz
package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

type entry struct {
	id    uint32
	group uint16
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: satable fpscores.pkl.gz fpscores.bin.gz")
	}
	values, entries, err := read(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := write(os.Args[2], values, entries); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(entries), "identifiers in", len(values), "groups")
}

// read reads a pickle of protocol 0: a list of lists, each a value and the identifiers that
// have it.
func read(path string) (values []float64, entries []entry, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, err
	}
	in := bufio.NewReader(z)
	begun := false // the next number is a value
	for {
		op, err := in.ReadByte()
		if err != nil {
			return nil, nil, err
		}
		switch op {
		case '(', 'a':
		case 'l':
			begun = true
		case 'p':
			if _, err := in.ReadString('\n'); err != nil {
				return nil, nil, err
			}
		case 'F', 'I':
			line, err := in.ReadString('\n')
			if err != nil {
				return nil, nil, err
			}
			line = strings.TrimSpace(line)
			if begun {
				v, err := strconv.ParseFloat(line, 64)
				if err != nil {
					return nil, nil, err
				}
				values, begun = append(values, v), false
				continue
			}
			id, err := strconv.ParseUint(line, 10, 32)
			if err != nil {
				return nil, nil, err
			}
			entries = append(entries, entry{uint32(id), uint16(len(values) - 1)})
		case '.':
			slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.id, b.id) })
			return values, entries, nil
		default:
			return nil, nil, fmt.Errorf("%s: instruction %q is not known", path, op)
		}
	}
}

func write(path string, values []float64, entries []entry) error {
	out := binary.AppendUvarint(nil, uint64(len(values)))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	out = binary.AppendUvarint(out, uint64(len(entries)))
	last := uint32(0)
	for i, e := range entries {
		if i > 0 && e.id == last {
			return fmt.Errorf("identifier %d stands twice", e.id)
		}
		out = binary.AppendUvarint(out, uint64(e.id-last))
		last = e.id
	}
	for _, e := range entries {
		out = binary.LittleEndian.AppendUint16(out, e.group)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	z, _ := gzip.NewWriterLevel(f, gzip.BestCompression)
	_, err = z.Write(out)
	for _, c := range []io.Closer{z, f} {
		if e := c.Close(); err == nil {
			err = e
		}
	}
	return err
}
