package graphfile

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// rootElement matches the first element of an XML text, after its declaration, comments and DTD.
var rootElement = regexp.MustCompile(`^\s*(?:<\?[^>]*\?>|<!--(?s:.*?)-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\])?\s*>|\s)*<(?:\w+:)?(\w+)[\s/>]`)

// Recognise returns which graph file format a path of the operating system has. The content
// decides. Names only exclude files that other packages read: TU (NAME_A.txt), OGB (edge.csv) and
// text with a line of column names. Pipes and archives are not recognised.
func Recognise(path string) (format string, ok bool) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", false
	case info.IsDir():
		if !hasTriples(path) {
			return "", false
		}
		return Triples, true
	case !info.Mode().IsRegular() || data.IsArchive(path):
		return "", false
	}
	head, whole, err := headOf(path)
	if err != nil || bytes.IndexByte(head, 0) >= 0 {
		return "", false
	}
	if root := rootElement.FindSubmatch(head); root != nil {
		switch string(root[1]) {
		case GraphML, GEXF:
			return string(root[1]), true
		}
	}
	if mtxHeader.Match(head) {
		return MTX, true
	}
	return recogniseLines(path, head, whole)
}

// recogniseLines is Recognise for a text without a header.
func recogniseLines(path string, head []byte, whole bool) (string, bool) {
	comments, rows := sampleLines(head, whole)
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	if len(rows) == 0 || refuseLines(name, comments, rows) != nil || ownedByOthers(path, name) {
		return "", false
	}
	if _, ok := findTriples(rows, hasEnding(name, ".nt")); ok {
		return Triples, true
	}
	if isEdgeList(name, comments, rows) {
		return EdgeList, true
	}
	return "", false
}

// ownedByOthers reports whether a name belongs to another format with lines of numbers.
func ownedByOthers(path, name string) bool {
	if strings.HasSuffix(name, "_a.txt") { // TU
		return true
	}
	for _, e := range []string{"", ".gz"} {
		if name == "edge.csv" && exists(filepath.Join(filepath.Dir(path), "num-node-list.csv"+e)) { // OGB
			return true
		}
	}
	return hasEnding(name, ".graph", ".adjlist", ".lgl", ".smi", ".smiles")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// hasEnding reports whether a lower-case name ends in one of the endings.
func hasEnding(name string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) })
}

// hasTriples reports whether a folder has files of triples for parts.
func hasTriples(folder string) bool {
	parts, err := findParts(folder)
	if err != nil || parts == nil {
		return false
	}
	for _, p := range parts {
		head, whole, err := headOf(filepath.Join(folder, p.file))
		if err != nil {
			return false
		}
		_, rows := sampleLines(head, whole)
		if p.name == "train" {
			_, ok := findTriples(rows, true)
			return ok
		}
	}
	return false
}

// headOf returns the first text of a regular file.
func headOf(path string) (head []byte, whole bool, err error) {
	t, err := openText(path, data.NewBudget(0))
	if err != nil {
		return nil, false, err
	}
	defer t.file.Close()
	return t.sample()
}
