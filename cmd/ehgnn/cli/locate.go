package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data/fetch"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/internal/nearest"
)

// location is where a data set lies: Name is the catalogue's, empty for what is not of
// it, and Set the set to read where Path holds several.
type location struct{ Name, Path, Set string }

// column is a data set of an experiment or a benchmark; that there is none is an error of usage.
func (a *app) column(name string) (location, error) {
	c, ok := a.find(name)
	if ok {
		return c, nil
	}
	err := a.toFetch(name)
	if err == nil {
		err = usage(fmt.Errorf("no data set %q: there is no such path, and the data folder %s (--data-dir or EHGNN_DATA) has no %s or %s.zip, nor have its folders tu, dgcnn and zinc12k%s",
			name, a.dataDir, name, name, meant(name)))
	}
	return location{}, err
}

// known is column for an argument that may be any path: what is not found and not like a
// name of the catalogue is the path as it stands, for its reader to say that there is none.
func (a *app) known(path string) (location, error) {
	if c, ok := a.find(path); ok {
		return c, nil
	}
	err := a.toFetch(path)
	if hint := meant(path); err == nil && hint != "" {
		err = usage(fmt.Errorf("no data set %q, nor a file or folder of that name%s", path, hint))
	}
	return location{Path: path}, err
}

// meant asks whether a name of the catalogue was meant: one that differs from name by up
// to two letters, which are at most half of it; empty where there is none.
func meant(name string) string {
	if set := nearest.Name(name, fetch.Names(), min(2, len(name)/2)); set != "" {
		return fmt.Sprintf(", did you mean %q?", set)
	}
	return ""
}

// find looks for a data set: a path, a set of the catalogue in the data folder under any
// spelling, or what else lies there by that name.
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

// toFetch is the error about a set of the catalogue that is not here, nil for other names.
func (a *app) toFetch(name string) error {
	set, ok := fetch.Lookup(name)
	if !ok {
		return nil
	}
	return usage(fmt.Errorf("%s is neither here nor in the data folder %s (--data-dir or EHGNN_DATA); get it with: ehgnn data fetch %s", name, a.dataDir, set.Name))
}

// folders are those of the data folder in which sets are looked for. A folder with a set
// of its own is itself the set of that name.
var folders = []struct{ name, set string }{{"tu", ""}, {"dgcnn", ""}, {"zinc12k", "zinc"}, {"", ""}}

// inDataFolder finds a file or folder of the data folder by name.
func (a *app) inDataFolder(name string) (path string, ok bool) {
	for _, dir := range folders {
		for _, file := range []string{name + ".zip", name} {
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
