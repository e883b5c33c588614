package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data/fetch"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/internal/didyoumean"
)

// location is the place of a data set. Name is its name in the catalogue, empty for others; Set is
// the set to read if Path holds several.
type location struct{ Name, Path, Set string }

// column finds a data set of an experiment or a benchmark. A missing one is a usage error.
func (a *app) column(name string) (location, error) {
	c, ok := a.find(name)
	if ok {
		return c, nil
	}
	err := a.toFetch(name)
	if err == nil {
		err = usage(fmt.Errorf("no data set %q: there is no such path, and the data folder %s (--data-dir or EHGNN_DATA) has no %s or %s.zip, nor have its folders tu, dgcnn, zinc12k, edges and molecules%s",
			name, a.dataDir, name, name, nearestName(name)))
	}
	return location{}, err
}

// locate finds the data set of an argument that may be any path. If nothing is found, and the
// argument is not similar to a name of the catalogue, it is returned as a path, so that its reader
// reports the error.
func (a *app) locate(path string) (location, error) {
	if c, ok := a.find(path); ok {
		return c, nil
	}
	err := a.toFetch(path)
	if hint := nearestName(path); err == nil && hint != "" {
		err = usage(fmt.Errorf("no data set %q, nor a file or folder of that name%s", path, hint))
	}
	return location{Path: path}, err
}

// nearestName returns the catalogue name that was probably meant: it differs from name in at most two
// letters and at most half of them. It is empty if there is none.
func nearestName(name string) string {
	if set := didyoumean.Name(name, fetch.Names(), min(2, len(name)/2)); set != "" {
		return fmt.Sprintf(", did you mean %q?", set)
	}
	return ""
}

// find looks for a data set: a path, a catalogue set in the data folder (in any spelling), or
// another file or folder of that name in the data folder.
func (a *app) find(name string) (c location, ok bool) {
	if _, err := os.Stat(name); err == nil {
		return location{Path: name}, true
	}
	if a.dataDir == "" || name == "" {
		return c, false
	}
	if set, ok := fetch.Lookup(name); ok {
		if path, ok := set.Locate(a.dataDir); ok {
			c = location{Name: set.Name, Path: path}
			if set.Format == planetoid.Format {
				c.Set = set.Name
			}
			return c, true
		}
	}
	path, ok := a.inDataFolder(name)
	return location{Path: path}, ok
}

// toFetch is the error for a catalogue set that is not in the data folder; nil for other names.
func (a *app) toFetch(name string) error {
	set, ok := fetch.Lookup(name)
	if !ok {
		return nil
	}
	return usage(fmt.Errorf("%s is neither here nor in the data folder %s (--data-dir or EHGNN_DATA); get it with: ehgnn data fetch %s", name, a.dataDir, set.Name))
}

// folders are the folders, within the data folder, in which sets are looked for. If set is given,
// the whole folder is the set of that name.
var folders = []struct{ name, set string }{{"tu", ""}, {"dgcnn", ""}, {"zinc12k", "zinc"}, {"edges", ""}, {"molecules", ""}, {"", ""}}

// inDataFolder finds a file or folder of the data folder by name.
func (a *app) inDataFolder(name string) (path string, ok bool) {
	for _, dir := range folders {
		for _, file := range []string{name + ".zip", name, name + ".csv.gz"} {
			path := filepath.Join(a.dataDir, dir.name, file)
			if _, err := os.Stat(path); err == nil {
				return path, true
			}
		}
	}
	for _, dir := range folders {
		if path := filepath.Join(a.dataDir, dir.name); strings.EqualFold(name, dir.set) && isDir(path) {
			return path, true
		}
	}
	return "", false
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
