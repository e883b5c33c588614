package fetch

import (
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Set is a public data set: its content and its source.
type Set struct {
	Name   string `json:"name"` // as in the data folder: "MUTAG", "ogbg_molhiv", "cora"
	Kind   string `json:"kind"` // "molecules", "proteins", "social networks", "citations"
	Format string `json:"format"`
	// Graphs, MeanNodes and MeanEdges (undirected) are checked after a download. 0 means not known
	// and not checked. Means have two digits.
	Graphs    int     `json:"graphs"`
	MeanNodes float64 `json:"mean_nodes"`
	MeanEdges float64 `json:"mean_edges"`
	// Classes is the number of classes of graphs or nodes. Targets is the number of tasks of a set
	// with several labels or with numbers. One of the two is 0.
	Classes int    `json:"classes"`
	Targets int    `json:"targets"`
	Split   string `json:"split"` // "10 folds", "scaffold", "public" or ""
	Licence string `json:"licence"`
	Source  string `json:"source"` // a page about the set
	Files   []File `json:"files"`
}

// File is one download of a set.
type File struct {
	URL string `json:"url"`
	// Size and SHA256 are those of the file, if its bytes are the same as in the data that this
	// project is developed with. 0 and "" mean not known; the checksum is then recorded at the
	// first download.
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	// MaxSize is the number of bytes after which the download of a file of unknown size is stopped.
	// 0 means 1 GiB.
	MaxSize int64 `json:"max_size"`
	// Path is the place of the file: in the data folder, or in the zip of the set. It is empty for
	// an archive, whose files are placed there.
	Path string `json:"path"`
}

// The addresses of the files. Commits are fixed, so that checksums stay valid.
const (
	tuBase        = "https://www.chrsmrrs.com/graphkerneldatasets/"
	ogbBase       = "https://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download/"
	foldBase      = "https://raw.githubusercontent.com/muhanzhang/pytorch_DGCNN/50f504131ca66382f3f078ae98e59aa3ae35b795/data/"
	planetoidBase = "https://raw.githubusercontent.com/kimiyoung/planetoid/af6abf468a772cc055bec88c52e4d6f51b7c37e3/data/"
)

// The licences that the sources state.
const (
	unstated         = "none stated"
	ogbLicence       = "MIT"
	planetoidLicence = "MIT (repository)"
	dgcnnLicence     = "MIT (repository)"
)

// sums are known checksums, in lines "sha256  size  url".
//
//go:embed checksums.txt
var sums string

// Catalogue lists the known sets: those of the paper first, each group sorted by name. The caller
// may change it.
func Catalogue() []Set {
	var sets []Set
	// Folds of the published protocol come from the repository of DGCNN, which has its own spelling
	// of the names.
	tu := func(name, kind, folds string, graphs int, nodes, edges float64, classes int) {
		s := Set{Name: name, Kind: kind, Format: data.FormatTU, Graphs: graphs, MeanNodes: nodes, MeanEdges: edges,
			Classes: classes, Licence: unstated, Source: "https://chrsmrrs.github.io/datasets/",
			Files: []File{{URL: tuBase + name + ".zip"}}}
		if folds != "" {
			s.Split = "10 folds"
			s.Files = append(s.Files, foldFiles(folds)...)
		}
		sets = append(sets, s)
	}
	ogb := func(name string, graphs int, nodes, edges float64, targets int) {
		file := name
		if name == "lipo" {
			file = "lipophilicity"
		}
		sets = append(sets, Set{Name: "ogbg_mol" + name, Kind: "molecules", Format: data.FormatOGB, Graphs: graphs,
			MeanNodes: nodes, MeanEdges: edges, Targets: targets, Split: "scaffold", Licence: ogbLicence,
			Source: "https://ogb.stanford.edu/docs/graphprop/", Files: []File{{URL: ogbBase + file + ".zip"}}})
	}
	citations := func(name string, nodes, edges float64, classes int) {
		s := Set{Name: name, Kind: "citations", Format: planetoid.Format, Graphs: 1, MeanNodes: nodes, MeanEdges: edges,
			Classes: classes, Split: "public", Licence: planetoidLicence, Source: "https://github.com/kimiyoung/planetoid"}
		for _, part := range []string{"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"} {
			file := "ind." + name + "." + part
			s.Files = append(s.Files, File{URL: planetoidBase + file, Path: "planetoid/" + file})
		}
		sets = append(sets, s)
	}

	tu("MUTAG", "molecules", "MUTAG", 188, 17.93, 19.79, 2)
	tu("PROTEINS", "proteins", "PROTEINS", 1113, 39.06, 72.82, 2)
	tu("DD", "proteins", "DD", 1178, 284.32, 715.66, 2)
	tu("IMDB-BINARY", "social networks", "IMDBBINARY", 1000, 19.77, 96.53, 2)
	tu("IMDB-MULTI", "social networks", "IMDBMULTI", 1500, 13.00, 65.94, 3)
	sets = append(sets, Set{Name: "COLLAB", Kind: "social networks", Format: data.FormatDGCNN, Graphs: 5000, MeanNodes: 74.49,
		MeanEdges: 2457.22, Classes: 3, Split: "10 folds", Licence: dgcnnLicence, Source: "https://github.com/muhanzhang/pytorch_DGCNN",
		Files: append([]File{{URL: foldBase + "COLLAB/COLLAB.txt", Path: "COLLAB.txt"}}, foldFiles("COLLAB")...)})
	ogb("hiv", 41127, 25.51, 27.47, 1)
	ogb("tox21", 7831, 18.57, 19.29, 12)
	ogb("toxcast", 8576, 18.78, 19.26, 617)
	ogb("bbbp", 2039, 24.06, 25.95, 1)
	citations("cora", 2708, 5278, 7)
	citations("citeseer", 3327, 4676, 6)

	tu("ENZYMES", "proteins", "", 600, 0, 0, 6)
	tu("NCI1", "molecules", "", 4110, 0, 0, 2)
	tu("NCI109", "molecules", "", 4127, 0, 0, 2)
	tu("REDDIT-BINARY", "social networks", "", 2000, 0, 0, 2)
	ogb("bace", 1513, 0, 0, 1)
	ogb("clintox", 1477, 0, 0, 2)
	ogb("esol", 1128, 0, 0, 1)
	ogb("freesolv", 642, 0, 0, 1)
	ogb("lipo", 4200, 0, 0, 1)
	ogb("sider", 1427, 0, 0, 27)
	citations("pubmed", 19717, 0, 3)

	known := knownFiles()
	for _, s := range sets {
		for i, f := range s.Files {
			if k, ok := known[f.URL]; ok {
				s.Files[i].Size, s.Files[i].SHA256 = k.Size, k.SHA256
			} else {
				s.Files[i].MaxSize = s.maxSize()
			}
		}
	}
	return sets
}

// maxSize bounds the size of a file from the published number of graphs or nodes of the set, at
// four times the known sizes or more. Zipped, the largest graphs (DD) take 4 kB each, molecules of
// OGB 0.1 kB with their labels, and the features of a node 0.4 kB (pubmed, tx). 4 MiB are added for
// other files in an archive.
func (s Set) maxSize() int64 {
	const room, kib = 4 << 20, 1 << 10
	switch s.Format {
	case planetoid.Format:
		return room + 2*kib*int64(s.MeanNodes)
	case data.FormatOGB:
		return room + kib*int64(s.Graphs)
	}
	return room + 16*kib*int64(s.Graphs)
}

// foldFiles returns the twenty index files of a set. name is its name in DGCNN.
func foldFiles(name string) []File {
	var out []File
	for _, part := range []string{"train", "test"} {
		for k := 1; k <= 10; k++ {
			file := fmt.Sprintf("10fold_idx/%s_idx-%d.txt", part, k)
			out = append(out, File{URL: foldBase + name + "/" + file, Path: file})
		}
	}
	return out
}

// knownFiles reads the checksums. Its keys are URLs.
func knownFiles() map[string]File {
	out := map[string]File{}
	for line := range strings.Lines(sums) {
		f := strings.Fields(line)
		size, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			panic(fmt.Sprintf("fetch: checksums.txt: %v", err)) // a test reads the file
		}
		out[f[2]] = File{URL: f[2], SHA256: f[0], Size: size}
	}
	return out
}

// tuPrefix is the prefix of TU sets that the catalogue does not list.
const tuPrefix = "tu/"

// Lookup finds a set by name, in any case, with "-" or "_", and for OGB also without "ogbg_mol".
// "tu/NAME" is any set of the TU collection.
func Lookup(name string) (Set, bool) {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }
	for _, s := range Catalogue() {
		if n := plain(s.Name); n == plain(name) || n == "ogbg_mol"+plain(name) {
			return s, true
		}
	}
	if rest, ok := strings.CutPrefix(name, tuPrefix); ok && rest != "" && strings.Trim(rest, letters) == "" {
		return Set{Name: rest, Format: data.FormatTU, Licence: unstated, Source: "https://chrsmrrs.github.io/datasets/",
			Files: []File{{URL: tuBase + rest + ".zip"}}}, true
	}
	return Set{}, false
}

// letters are the characters in names of the TU collection.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_()"

// Names lists the names of the catalogue.
func Names() []string {
	out := lists.Map(Catalogue(), func(s Set) string { return s.Name })
	slices.Sort(out)
	return out
}

// packed reports whether the files of the set are put into one zip. Those of Planetoid stay files.
func (s Set) packed() bool { return s.Format != planetoid.Format }

// Path is the place of the set in the data folder: its zip, or the folder of its files.
func (s Set) Path() string {
	if !s.packed() {
		return path.Dir(s.Files[0].Path)
	}
	return path.Join(s.Format, s.Name+".zip")
}

// Locate returns the path of the set in a data folder, and whether it is there: as Fetch stores it,
// or as a folder or zip with the same name.
func (s Set) Locate(dir string) (string, bool) {
	is := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	if !s.packed() {
		for _, f := range s.Files {
			if !is(filepath.Join(dir, filepath.FromSlash(f.Path))) {
				return "", false
			}
		}
		return filepath.Join(dir, filepath.FromSlash(s.Path())), true
	}
	zip := filepath.Join(dir, filepath.FromSlash(s.Path()))
	folder := strings.TrimSuffix(zip, ".zip")
	for _, p := range []string{zip, folder} {
		if is(p) {
			return p, true
		}
	}
	return "", false
}

// Open reads the set at a path that Locate returned.
func (s Set) Open(name string, edges data.Edges) (*data.Dataset, error) {
	if s.Format == planetoid.Format {
		return planetoid.Open(name, planetoid.Options{Name: s.Name, Edges: edges})
	}
	return data.Open(name, data.Options{Format: s.Format, Edges: edges})
}

// Size is the number of bytes to download, and whether all file sizes are known.
func (s Set) Size() (bytes int64, known bool) {
	known = true
	for _, f := range s.Files {
		bytes += f.Size
		known = known && f.Size > 0
	}
	return bytes, known
}

// Check compares a set that was read with the catalogue.
func (s Set) Check(i data.Info) error {
	round := func(v float64) string { return fmt.Sprintf("%.2f", v) }
	switch {
	case s.Graphs > 0 && i.NumGraphs != s.Graphs:
		return fmt.Errorf("%d graphs, expected %d", i.NumGraphs, s.Graphs)
	case s.MeanNodes > 0 && round(i.MeanNodes) != round(s.MeanNodes):
		return fmt.Errorf("%s nodes a graph, expected %s", round(i.MeanNodes), round(s.MeanNodes))
	case s.MeanEdges > 0 && round(i.MeanEdges) != round(s.MeanEdges):
		return fmt.Errorf("%s edges a graph, expected %s", round(i.MeanEdges), round(s.MeanEdges))
	case s.Classes > 0 && max(i.NumClasses, i.NumNodeClasses) != s.Classes:
		return fmt.Errorf("%d classes, expected %d", max(i.NumClasses, i.NumNodeClasses), s.Classes)
	case s.Targets > 0 && i.NumTargets != s.Targets:
		return fmt.Errorf("%d tasks, expected %d", i.NumTargets, s.Targets)
	}
	return nil
}
