package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// Writer makes a store, which does not exist under its name before Commit. Several goroutines may
// call Block and Part at the same time.
type Writer struct {
	folder *atomicfile.Folder
	mu     sync.Mutex
	files  map[string]*File
}

// Create begins a store in a folder that must not exist; its parent folder must exist. Every Writer
// must be ended by Commit or Abort. Abort can always be deferred.
func Create(dir string) (*Writer, error) {
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("store: %s is there already, expected a name that is free", dir)
	}
	folder, err := atomicfile.CreateFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	w := &Writer{folder: folder, files: map[string]*File{}}
	for _, sub := range []string{"blocks", "parts"} {
		if err := os.Mkdir(filepath.Join(folder.Path, sub), 0o755); err != nil {
			w.Abort()
			return nil, fmt.Errorf("store: %w", err)
		}
	}
	return w, nil
}

// Block writes a block and the ids of its distinct nodes.
func (w *Writer) Block(b *Block, ids []string) error {
	if len(ids) != b.NumNodes() {
		return fmt.Errorf("store: block %d: %d ids for %d nodes", b.Index, len(ids), b.NumNodes())
	}
	if err := w.write(blockName(b.Index), func(to io.Writer) error { return encodeBlock(to, b) }); err != nil {
		return err
	}
	return w.write(namesName(b.Index), func(to io.Writer) error { return encodeNames(to, b.Index, ids) })
}

// EdgeIDs writes the names of the edges of a block.
func (w *Writer) EdgeIDs(block int, ids []string) error {
	return w.write(idsName(block), func(to io.Writer) error { return encodeNames(to, block, ids) })
}

// Part writes a part.
func (w *Writer) Part(p *Part) error {
	return w.write(partName(p.Index), func(to io.Writer) error { return encodePart(to, p) })
}

func (w *Writer) write(name string, encode func(io.Writer) error) error {
	sum := NewSum()
	err := atomicfile.Write(filepath.Join(w.folder.Path, filepath.FromSlash(name)), func(to io.Writer) error {
		return encode(io.MultiWriter(to, sum))
	})
	if err != nil {
		return fmt.Errorf("store: %s: %w", name, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	file := sum.File()
	w.files[name] = &file
	return nil
}

// Commit adds the written files to the manifest, writes it, and gives the store its name.
func (w *Writer) Commit(m *Manifest) error {
	m.Version, m.Files = version, w.files
	if err := m.check(); err != nil {
		return fmt.Errorf("store: %s: %w", manifestName, err)
	}
	if err := atomicfile.WriteJSON(filepath.Join(w.folder.Path, manifestName), m); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := w.folder.Commit(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Abort removes the store. After Commit it does nothing.
func (w *Writer) Abort() { w.folder.Abort() }
