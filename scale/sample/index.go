package sample

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/scale/store"
)

// Source is the data of an index: a *store.Store, or blocks in memory.
type Source interface {
	Block(ctx context.Context, i int) (*store.Block, error)
	Part(ctx context.Context, p int) (*store.Part, error)
}

// indexVersion is the version of the file format.
const indexVersion = 1

// Names of the files of an index.
const (
	indexFile  = "index.json"
	edgesFile  = "edges"
	nodesFile  = "nodes"
	startsFile = "starts"
	endsFile   = "ends"
	seedsFile  = "seeds"
)

// facts is the content of index.json.
type facts struct {
	Version int     `json:"version"`
	Store   string  `json:"store"`   // checksum of the store
	Edges   int64   `json:"edges"`   // number of edges of the training graph
	Nodes   int64   `json:"nodes"`   // number of nodes of the store
	Touched int64   `json:"touched"` // number of nodes with at least one edge
	Seeds   int64   `json:"seeds"`
	Node    columns `json:"node"`
	Edge    columns `json:"edge"`
	// Classes has the number of seeds of each class. It is nil if labels are numbers.
	Classes []int                  `json:"classes,omitempty"`
	Valid   int                    `json:"valid"` // number of validation edges with a label
	Test    int                    `json:"test"`
	Files   map[string]*store.File `json:"files"`
}

// Index reads the training graph of a store, a few edges at a time. It is safe for concurrent use.
type Index struct {
	facts
	edges, nodes, starts, ends, seeds *rows
}

// OpenIndex opens the index of a store in a folder. It makes the index if the folder has none of
// this store. progress is called with the number of blocks read and their total.
func OpenIndex(ctx context.Context, src Source, m *store.Manifest, checksum, dir string, progress func(done, total int)) (*Index, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	x, err := readIndex(ctx, dir, checksum)
	if !errors.Is(err, fs.ErrNotExist) {
		return x, err
	}
	folder, err := atomicfile.CreateFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("sample: the files that steps read cannot be made there, --index names another folder: %w", err)
	}
	defer folder.Abort()
	b := &builder{src: src, m: m, dir: folder.Path, progress: progress}
	b.facts = facts{Version: indexVersion, Store: checksum, Nodes: m.Nodes, Files: map[string]*store.File{}}
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	if err := atomicfile.WriteJSON(filepath.Join(folder.Path, indexFile), b.facts); err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	err = folder.Commit()
	if x, rerr := readIndex(ctx, dir, checksum); err == nil || rerr == nil { // otherwise another process has made it first
		return x, rerr
	}
	return nil, fmt.Errorf("sample: %w", err)
}

// readIndex opens an index. It returns fs.ErrNotExist if there is none. An index of another store
// is an error, because somebody may need it.
func readIndex(ctx context.Context, dir, checksum string) (*Index, error) {
	name := filepath.Join(dir, indexFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	x := &Index{}
	if err := json.Unmarshal(text, &x.facts); err != nil {
		return nil, &data.ParseError{File: name, Msg: "cannot be read", Err: err}
	}
	if x.Version != indexVersion || x.Store != checksum {
		return nil, &data.ParseError{File: dir, Msg: "is the index of another store, or of another version; remove it"}
	}
	defer func() {
		if err != nil {
			x.Close()
		}
	}()
	for _, f := range []struct {
		name  string
		at    **rows
		width int
		rows  int64
	}{
		{edgesFile, &x.edges, edgeBytes + x.Edge.bytes(), x.Edges}, {nodesFile, &x.nodes, x.Node.bytes(), x.Nodes},
		{startsFile, &x.starts, 8, x.Nodes + 1}, {endsFile, &x.ends, 8, 2 * x.Edges}, {seedsFile, &x.seeds, 8, x.Seeds},
	} {
		if *f.at, err = openRows(ctx, filepath.Join(dir, f.name), f.width, f.rows, x.Files[f.name]); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// openRows opens a file and checks its size and checksum.
func openRows(ctx context.Context, path string, width int, n int64, want *store.File) (*rows, error) {
	if want == nil {
		return nil, &data.ParseError{File: path, Msg: "is not listed in " + indexFile}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, &data.ParseError{File: path, Msg: "cannot be opened", Err: err}
	}
	sum := sha256.New()
	size, err := io.Copy(sum, untilDone{ctx, f})
	if err == nil && (size != want.Bytes || size != n*int64(width) || hex.EncodeToString(sum.Sum(nil)) != want.SHA256) {
		err = &data.ParseError{File: path, Msg: fmt.Sprintf("is torn or was changed: %s has other sums; remove the folder, so that it is made again", indexFile)}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &rows{f, width}, nil
}

// untilDone reads until its context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}

// Close closes the files.
func (x *Index) Close() error {
	var errs []error
	for _, r := range []*rows{x.edges, x.nodes, x.starts, x.ends, x.seeds} {
		if r != nil {
			errs = append(errs, r.f.Close())
		}
	}
	return errors.Join(errs...)
}
