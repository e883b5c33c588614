package score

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/forest"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/metric"
)

// Actives is a list of molecules with labels for activity.
type Actives struct {
	SMILES   []string
	Active   []bool
	Checksum string // of the list file
}

// ReadActives reads a table with a column of SMILES and a column with the given name that is 1 for
// active molecules and 0 for others.
func ReadActives(path, column string) (*Actives, error) {
	texts, labels, err := smiles.Texts(path, column)
	if err != nil {
		return nil, err
	}
	a := &Actives{SMILES: texts}
	sum, active := sha256.New(), 0
	for i, l := range labels {
		if l != "0" && l != "1" {
			return nil, fmt.Errorf("score: %s: row %d has %q in column %q, expected 0 or 1", filepath.Base(path), i+1, l, column)
		}
		a.Active = append(a.Active, l == "1")
		if l == "1" {
			active++
		}
		fmt.Fprintln(sum, texts[i], l)
	}
	if active < minClass || len(labels)-active < minClass {
		return nil, fmt.Errorf("score: %s has %d active and %d inactive molecules, expected at least %d of each", filepath.Base(path), active, len(labels)-active, minClass)
	}
	a.Checksum = hex.EncodeToString(sum.Sum(nil))
	return a, nil
}

// OfActive lists the active molecules.
func (a *Actives) OfActive() (smiles []string) {
	for i, s := range a.SMILES {
		if a.Active[i] {
			smiles = append(smiles, s)
		}
	}
	return smiles
}

// minClass is the smallest number of molecules of a class, so that a fifth of them is at least one.
const minClass = 5

// OracleConfig has the settings for the training of an oracle.
type OracleConfig struct {
	Name   string `json:"name"`
	Radius int    `json:"radius"` // of the Morgan fingerprint
	Bits   int    `json:"bits"`
	Trees  int    `json:"trees"`
	Seed   uint64 `json:"seed"`
}

// NewOracleConfig returns the settings of MARS: Morgan fingerprints of radius 2 with 1024 bits, 100
// trees. The seed is always 42, so that all runs optimise the same score.
func NewOracleConfig(name string) OracleConfig {
	return OracleConfig{Name: name, Radius: 2, Bits: 1024, Trees: 100, Seed: 42}
}

// OracleInfo describes an oracle.
type OracleInfo struct {
	OracleConfig
	Toolkit   string `json:"toolkit"`
	Data      string `json:"data"`      // checksum of the list
	Molecules int    `json:"molecules"` // number of molecules of the list that parse
	Active    int    `json:"active"`
	Nodes     int    `json:"nodes"`
	// ROCAUC and AveragePrecision are measured with a forest trained on 80 % of the molecules, on
	// the other 20 %: the molecules of each class whose SMILES have the smallest SHA-256. The
	// oracle itself is trained on all molecules.
	ROCAUC           float64 `json:"roc_auc"`
	AveragePrecision float64 `json:"average_precision"`
}

// Oracle is a random forest on Morgan fingerprints, trained on a list of actives.
type Oracle struct {
	OracleInfo
	forest *forest.Forest
}

// Property returns the mean over the trees of the share of active molecules.
func (o *Oracle) Property(m *Molecule) (float64, error) {
	on, err := m.MorganBits(o.Radius, o.Bits)
	if err != nil {
		return 0, err
	}
	return o.forest.Score(forest.RowOf(o.Bits, on)), nil
}

// OpenOracle reads the oracle of a list from a folder, or trains it and stores it there, in one
// file. Molecules of the list that do not parse are left out.
func OpenOracle(ctx context.Context, tk chem.Toolkit, threads int, dir string, list *Actives, c OracleConfig) (*Oracle, error) {
	identity, err := json.Marshal([]any{c, list.Checksum, tk.Version()})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(identity)
	path := filepath.Join(dir, fmt.Sprintf("%s-%x.forest", c.Name, sum[:6]))
	o, err := ReadOracle(path)
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		return o, err
	}
	if o, err = trainOracle(ctx, tk, threads, list, c); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	return o, o.write(path)
}

func trainOracle(ctx context.Context, tk chem.Toolkit, threads int, list *Actives, c OracleConfig) (*Oracle, error) {
	x, parsed, err := fingerprints(ctx, tk, threads, c, list.SMILES)
	if err != nil {
		return nil, err
	}
	o := &Oracle{OracleInfo: OracleInfo{OracleConfig: c, Toolkit: tk.Version(), Data: list.Checksum, Molecules: len(parsed)}}
	var texts []string
	var active []bool
	for _, i := range parsed {
		texts, active = append(texts, list.SMILES[i]), append(active, list.Active[i])
		if list.Active[i] {
			o.Active++
		}
	}
	if o.Active < minClass || o.Molecules-o.Active < minClass {
		return nil, fmt.Errorf("score: of the list for %s, %d active and %d inactive molecules parse, expected at least %d of each", c.Name, o.Active, o.Molecules-o.Active, minClass)
	}
	grow := forest.Config{Trees: c.Trees, Seed: c.Seed, Threads: threads}
	if o.ROCAUC, o.AveragePrecision, err = tested(ctx, x, texts, active, grow); err != nil {
		return nil, err
	}
	if o.forest, err = forest.Train(ctx, x, active, grow); err != nil {
		return nil, err
	}
	o.Nodes = o.forest.Nodes()
	return o, nil
}

// fingerprints returns the fingerprints of the molecules that parse, and these molecules.
func fingerprints(ctx context.Context, tk chem.Toolkit, threads int, c OracleConfig, smiles []string) (x *forest.Bits, parsed []int, err error) {
	prints, err := chem.Map(ctx, tk, threads, smiles, func(m chem.Molecule) ([]int32, error) { return m.MorganBits(c.Radius, c.Bits) })
	if err != nil {
		return nil, nil, err
	}
	for i, p := range prints {
		if p.Err == nil {
			parsed = append(parsed, i)
		}
	}
	x = forest.NewBits(len(parsed), c.Bits)
	for row, i := range parsed {
		for _, b := range prints[i].Value {
			x.Set(row, int(b))
		}
	}
	return x, parsed, nil
}

// tested trains a forest on the training part of fixedSplit and scores it on the test part.
func tested(ctx context.Context, x *forest.Bits, texts []string, active []bool, c forest.Config) (auc, precision float64, err error) {
	f, test, err := withheld(ctx, x, texts, active, c)
	if err != nil {
		return 0, 0, err
	}
	score, target := make([]float32, len(test)), make([]float32, len(test))
	for i, r := range test {
		score[i] = float32(f.Score(x.Row(r)))
		if active[r] {
			target[i] = 1
		}
	}
	if auc, err = metric.ROCAUC(score, target); err == nil {
		precision, err = metric.AveragePrecision(score, target)
	}
	return auc, precision, err
}

// withheld returns a forest trained without the molecules of the test part, and the test part.
func withheld(ctx context.Context, x *forest.Bits, texts []string, active []bool, c forest.Config) (f *forest.Forest, test []int, err error) {
	train, test := fixedSplit(texts, active)
	known := lists.Take(active, train)
	f, err = forest.Train(ctx, x.Take(train), known, c)
	return f, test, err
}

// fixedSplit returns the split that OracleInfo describes.
func fixedSplit(texts []string, active []bool) (train, test []int) {
	sums := make([][sha256.Size]byte, len(texts))
	var classes [2][]int
	for i, s := range texts {
		sums[i] = sha256.Sum256([]byte(s))
		class := 0
		if active[i] {
			class = 1
		}
		classes[class] = append(classes[class], i)
	}
	for _, of := range classes {
		slices.SortFunc(of, func(a, b int) int { return cmp.Or(bytes.Compare(sums[a][:], sums[b][:]), a-b) })
		n := len(of) / 5
		test, train = append(test, of[:n]...), append(train, of[n:]...)
	}
	return train, test
}

// magic begins the file of an oracle. It is followed by a line of JSON, the deflated forest, and
// the SHA-256 of everything before it.
const magic = "ehgnn forest 1\n"

func (o *Oracle) write(path string) error {
	head, err := json.Marshal(o.OracleInfo)
	if err != nil {
		return err
	}
	trees, err := o.forest.MarshalBinary()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(magic)
	b.Write(append(head, '\n'))
	z, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(trees); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	return atomicfile.WriteBytes(path, b.Bytes())
}

// maxTrees is the largest size of the trees in a file after decompression, in bytes.
const maxTrees = 1 << 30

// ReadOracle reads the file of an oracle.
func ReadOracle(path string) (*Oracle, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	wrong := func(what string) error {
		return fmt.Errorf("score: %s: %s; without the file the oracle is trained again", path, what)
	}
	body := text[:max(len(text)-sha256.Size, 0)]
	if sum := sha256.Sum256(body); !bytes.HasPrefix(body, []byte(magic)) || !bytes.Equal(sum[:], text[len(body):]) {
		return nil, wrong("is no oracle, or its checksum is wrong")
	}
	head, packed, _ := bytes.Cut(body[len(magic):], []byte("\n"))
	o := &Oracle{forest: &forest.Forest{}}
	if err := json.Unmarshal(head, &o.OracleInfo); err != nil {
		return nil, wrong(err.Error())
	}
	trees, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxTrees))
	if err != nil {
		return nil, wrong(err.Error())
	}
	if err := o.forest.UnmarshalBinary(trees); err != nil {
		return nil, wrong(err.Error())
	}
	if o.forest.Bits() != o.Bits {
		return nil, wrong(fmt.Sprintf("its trees are of %d bits, its head says %d", o.forest.Bits(), o.Bits))
	}
	return o, nil
}
