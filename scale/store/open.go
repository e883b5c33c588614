package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/graph"
)

// version is the version of the file format that this package writes and reads.
const version = 1

// manifestName is the file that every store has.
const manifestName = "manifest.json"

// Limits of a store: the numbers of blocks and parts are in names of files, and a block's edge ends
// are numbered in 31 bits.
const (
	mostBlocks     = 1e6
	mostParts      = 1e4
	mostBlockEdges = 1 << 24
)

func blockName(i int) string { return fmt.Sprintf("blocks/%06d.block", i) }
func namesName(i int) string { return fmt.Sprintf("blocks/%06d.names", i) }
func idsName(i int) string   { return fmt.Sprintf("blocks/%06d.ids", i) }
func partName(p int) string  { return fmt.Sprintf("parts/%04d.part", p) }

// Store reads a store. It is safe for concurrent use.
type Store struct {
	Manifest Manifest
	// Dir is the folder. Checksum identifies the store: it is the SHA-256 of its manifest, which
	// has the checksums of all files.
	Dir, Checksum string

	fsys fs.FS
}

// Open opens the store in a folder. The error for a folder that is no store, or is damaged, wraps
// *data.ParseError.
func Open(dir string) (*Store, error) { return OpenFS(os.DirFS(dir), dir) }

// OpenFS opens the store in the root of fsys. Errors name its files as if they were in dir.
func OpenFS(fsys fs.FS, dir string) (*Store, error) {
	name := path.Join(dir, manifestName)
	b, err := fs.ReadFile(fsys, manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &data.ParseError{File: dir, Msg: "is no store: it has no " + manifestName + "; ehgnn-scale pack makes one"}
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{Dir: dir, fsys: fsys}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s.Manifest); err != nil {
		return nil, &data.ParseError{File: name, Msg: "cannot be read", Err: err}
	}
	if err := s.Manifest.check(); err != nil {
		return nil, &data.ParseError{File: name, Msg: err.Error()}
	}
	sum := sha256.Sum256(b)
	s.Checksum = hex.EncodeToString(sum[:])
	return s, nil
}

// check returns an error for a manifest that cannot be right.
func (m *Manifest) check() error {
	if m.Version != version {
		return fmt.Errorf("version is %d, expected %d", m.Version, version)
	}
	if m.Edges < 1 || m.Nodes < 1 || m.BlockEdges < 1 || m.BlockEdges > mostBlockEdges || len(m.Parts) < 1 || len(m.Parts) > mostParts {
		return fmt.Errorf("%d edges in blocks of %d and %d nodes in %d parts, expected some, blocks of at most %d and at most %d parts",
			m.Edges, m.BlockEdges, m.Nodes, len(m.Parts), mostBlockEdges, int(mostParts))
	}
	if blocks := (m.Edges-1)/int64(m.BlockEdges) + 1; int64(m.Blocks) != blocks || blocks > mostBlocks {
		return fmt.Errorf("%d blocks, expected %d, at most %d", m.Blocks, blocks, int(mostBlocks))
	}
	sum := int64(0)
	for p, n := range m.Parts {
		if n < 0 {
			return fmt.Errorf("part %d has %d nodes", p, n)
		}
		sum += int64(n)
	}
	if sum != m.Nodes {
		return fmt.Errorf("parts have %d nodes, expected %d", sum, m.Nodes)
	}
	if m.Met < m.Nodes || m.Met > 2*m.Edges {
		return fmt.Errorf("met is %d, expected %d to %d", m.Met, m.Nodes, 2*m.Edges)
	}
	if m.MostEntries < 1 || m.MostEntries > 2*m.Edges {
		return fmt.Errorf("most_entries is %d, expected 1 to %d", m.MostEntries, 2*m.Edges)
	}
	if m.Encoder == nil {
		return errors.New("has no encoder")
	}
	listed := func(names ...string) error {
		for _, n := range names {
			if f := m.Files[n]; f == nil || f.Bytes < 0 {
				return fmt.Errorf("does not list %s", n)
			}
		}
		return nil
	}
	for i := range m.Blocks {
		if err := listed(blockName(i), namesName(i)); err != nil {
			return err
		}
		if m.EdgeID != "" {
			if err := listed(idsName(i)); err != nil {
				return err
			}
		}
	}
	for p := range m.Parts {
		if err := listed(partName(p)); err != nil {
			return err
		}
	}
	return nil
}

// BlockSize returns the number of edges of block i.
func (m *Manifest) BlockSize(i int) int {
	return int(min(int64(m.BlockEdges), m.Edges-int64(i)*int64(m.BlockEdges)))
}

// Block reads block i.
func (s *Store) Block(ctx context.Context, i int) (*Block, error) {
	m := &s.Manifest
	if i < 0 || i >= m.Blocks {
		return nil, fmt.Errorf("store: block %d of %d", i, m.Blocks)
	}
	return read(s, blockName(i), func(r io.Reader, size int64) (*Block, error) {
		b, err := decodeBlock(ctx, r, size)
		if err != nil {
			return nil, err
		}
		if b.Index != i || b.First != int64(i)*int64(m.BlockEdges) || b.NumEdges() != m.BlockSize(i) {
			return nil, fmt.Errorf("%w: it is block %d with %d edges from %d on", errTorn, b.Index, b.NumEdges(), b.First)
		}
		return b, s.fits(b)
	})
}

// fits checks a block against the manifest.
func (s *Store) fits(b *Block) error {
	m := &s.Manifest
	if len(b.PartPtr) != len(m.Parts)+1 {
		return fmt.Errorf("%w: it has %d parts, expected %d", errTorn, len(b.PartPtr)-1, len(m.Parts))
	}
	for p, n := range m.Parts {
		if hi := b.PartPtr[p+1]; hi > b.PartPtr[p] && int(b.Rank[hi-1]) >= n {
			return fmt.Errorf("%w: rank %d of part %d, which has %d nodes", errTorn, b.Rank[hi-1], p, n)
		}
	}
	for e, c := range b.Class {
		if int(c) >= len(m.Encoder.Classes) {
			return fmt.Errorf("%w: edge %d has class %d of %d", errTorn, b.First+int64(e), c, len(m.Encoder.Classes))
		}
	}
	if err := fitsLayout(b.Edge, m.EdgeLayout()); err != nil {
		return err
	}
	number := m.Encoder.Options.Number
	if (b.Class != nil) != (m.Labels && !number) || (b.Number != nil) != (m.Labels && number) || (b.Part != nil) != (m.Split != nil) {
		return fmt.Errorf("%w: it has other labels or parts than the manifest says", errTorn)
	}
	return nil
}

// fitsLayout compares the layout of features with the encoder's.
func fitsLayout(f, want graph.Features) error {
	if f.Dim != want.Dim || !slices.Equal(f.Codes, want.Codes) {
		return fmt.Errorf("%w: its features have %d numbers and categories of %v, expected %d and %v", errTorn, f.Dim, f.Codes, want.Dim, want.Codes)
	}
	return nil
}

// Names reads the ids of the nodes and the names of the edges of block i.
func (s *Store) Names(ctx context.Context, i int) (n Names, err error) {
	if i < 0 || i >= s.Manifest.Blocks {
		return n, fmt.Errorf("store: block %d of %d", i, s.Manifest.Blocks)
	}
	if n.Nodes, err = s.texts(ctx, namesName(i), i); err != nil || s.Manifest.EdgeID == "" {
		return n, err
	}
	if n.Edges, err = s.texts(ctx, idsName(i), i); err == nil && len(n.Edges) != s.Manifest.BlockSize(i) {
		err = fmt.Errorf("store: %s: %w: %d names for %d edges", idsName(i), errTorn, len(n.Edges), s.Manifest.BlockSize(i))
	}
	return n, err
}

// texts reads the texts of block i from a file.
func (s *Store) texts(ctx context.Context, name string, i int) ([]string, error) {
	return read(s, name, func(r io.Reader, size int64) ([]string, error) {
		index, ids, err := decodeNames(ctx, r, size)
		if err == nil && index != i {
			err = fmt.Errorf("%w: it is of block %d", errTorn, index)
		}
		return ids, err
	})
}

// Part reads part p.
func (s *Store) Part(ctx context.Context, p int) (*Part, error) {
	m := &s.Manifest
	if p < 0 || p >= len(m.Parts) {
		return nil, fmt.Errorf("store: part %d of %d", p, len(m.Parts))
	}
	return read(s, partName(p), func(r io.Reader, size int64) (*Part, error) {
		part, err := decodePart(ctx, r, size)
		if err == nil && (part.Index != p || len(part.IDs) != m.Parts[p]) {
			err = fmt.Errorf("%w: it is part %d with %d nodes, expected %d", errTorn, part.Index, len(part.IDs), m.Parts[p])
		}
		if err == nil {
			err = fitsLayout(part.Node, m.NodeLayout())
		}
		return part, err
	})
}

// read opens a file of the store, decodes it and compares its checksum.
func read[T any](s *Store, name string, decode func(io.Reader, int64) (T, error)) (out T, err error) {
	where := path.Join(s.Dir, name)
	f, err := s.fsys.Open(name)
	if err != nil {
		return out, &data.ParseError{File: where, Msg: "cannot be opened", Err: err}
	}
	defer f.Close()
	want := s.Manifest.Files[name]
	info, err := f.Stat()
	if err != nil {
		return out, &data.ParseError{File: where, Msg: "cannot be read", Err: err}
	}
	if info.Size() != want.Bytes {
		return out, &data.ParseError{File: where, Msg: fmt.Sprintf("has %d bytes, expected %d as %s says", info.Size(), want.Bytes, manifestName), Err: errTorn}
	}
	sum := NewSum()
	v, err := decode(io.TeeReader(f, sum), info.Size())
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return out, err
	}
	if err != nil {
		return out, &data.ParseError{File: where, Msg: "cannot be read", Err: err}
	}
	if got := sum.File().SHA256; got != want.SHA256 {
		return out, &data.ParseError{File: where, Msg: fmt.Sprintf("has SHA-256 %s, expected %s as %s says", got, want.SHA256, manifestName), Err: errTorn}
	}
	return v, nil
}
