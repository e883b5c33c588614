package mars

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// Arm is a fragment that is joined with a single bond at its first atom.
type Arm struct {
	SMILES string // begins at the atom of the joining bond
	Count  int    // number of cuts that gave it
	Atoms  int    // number of atoms other than hydrogen
	Bonds  int
}

// Vocabulary has the most frequent arms of a list of molecules, by descending frequency.
type Vocabulary struct {
	Arms []Arm
	// Molecules counts molecules that parse, Cuts the bonds whose cut gave two molecules, Kept the
	// sides that may be arms, and Distinct the arms before the most frequent were chosen.
	// ReadVocabulary sets them to 0.
	Molecules, Cuts, Kept, Distinct int
}

// ExtractConfig has the settings of Extract.
type ExtractConfig struct {
	Size int // largest number of arms
	// KeepStereo cuts molecules with their stereo, as the published code does. Otherwise stereo is
	// removed first.
	KeepStereo bool
	Threads    int // 0 for all processors; the vocabulary does not depend on it
}

// maxArm is the largest number of heavy atoms of an arm.
const maxArm = 10

// Extract cuts every single bond outside rings of every molecule that parses, and counts the sides
// that are arms. A side is an arm if:
//
//   - the atom that it was cut from is carbon;
//   - it has at most 10 atoms, and one that is no carbon or a double or triple bond;
//   - its SMILES, from the atom at the cut, does not begin with CC.
//
// Arms with the same SMILES are one arm. Of equally frequent arms, the arm that occurs first comes
// first.
func Extract(ctx context.Context, tk chem.Toolkit, smiles []string, c ExtractConfig) (*Vocabulary, error) {
	if c.Size < 1 {
		return nil, fmt.Errorf("mars: a vocabulary of %d arms, expected at least 1", c.Size)
	}
	sides, err := chem.Map(ctx, tk, c.Threads, smiles, func(m chem.Molecule) (cuts, error) { return cutAll(tk, m, c.KeepStereo) })
	if err != nil {
		return nil, err
	}
	v, at := &Vocabulary{}, map[string]int{}
	for _, r := range sides {
		if r.Err != nil {
			continue
		}
		v.Molecules++
		v.Cuts += r.Value.cuts
		for _, a := range r.Value.arms {
			v.Kept++
			i, known := at[a.SMILES]
			if !known {
				i = len(v.Arms)
				at[a.SMILES] = i
				v.Arms = append(v.Arms, a)
			}
			v.Arms[i].Count++
		}
	}
	v.Distinct = len(v.Arms)
	if v.Distinct == 0 {
		return nil, fmt.Errorf("mars: %d molecules, of which %d parse, have no fragment that may be an arm", len(smiles), v.Molecules)
	}
	slices.SortStableFunc(v.Arms, func(a, b Arm) int { return cmp.Compare(b.Count, a.Count) })
	v.Arms = v.Arms[:min(c.Size, len(v.Arms))]
	return v, nil
}

// cuts has the arms of a molecule, by bond, and the number of its bonds that could be cut.
type cuts struct {
	arms []Arm
	cuts int
}

func cutAll(tk chem.Toolkit, m chem.Molecule, stereo bool) (out cuts, err error) {
	s, err := m.Structure()
	if err != nil {
		return out, err
	}
	if !stereo && hasStereo(s) {
		text, err := withoutStereo(tk, s)
		if err != nil {
			return out, err
		}
		if m, err = tk.Parse(text); err != nil {
			return out, err
		}
		defer m.Close()
		if s, err = m.Structure(); err != nil {
			return out, err
		}
	}
	for _, b := range s.Bonds {
		if b.Type != chem.Single {
			continue
		}
		first, second, err := m.Cut(int(b.Begin), int(b.End))
		if err != nil { // the bond is in a ring, or a side is no molecule
			continue
		}
		out.cuts++
		for _, side := range []struct {
			arm  chem.Fragment
			from int32
		}{{second, b.Begin}, {first, b.End}} {
			if s.Atoms[side.from].Number != 6 {
				continue
			}
			a, ok, err := newArm(side.arm)
			if err != nil {
				first.Close()
				second.Close()
				return out, err
			}
			if ok {
				out.arms = append(out.arms, a)
			}
		}
		first.Close()
		second.Close()
	}
	return out, nil
}

func hasStereo(s *chem.Structure) bool {
	return slices.ContainsFunc(s.Atoms, func(a chem.Atom) bool { return a.Chirality != chem.Achiral }) ||
		slices.ContainsFunc(s.Bonds, func(b chem.Bond) bool { return b.Stereo != chem.StereoNone })
}

// withoutStereo returns the SMILES of a structure without stereo.
func withoutStereo(tk chem.Toolkit, s *chem.Structure) (string, error) {
	flat, err := tk.Build(s)
	if err != nil {
		return "", err
	}
	defer flat.Close()
	return flat.SMILES()
}

// newArm returns a side of a cut as an arm. ok is false if it is none.
func newArm(f chem.Fragment) (a Arm, ok bool, err error) {
	if f.NumAtoms() > 2*maxArm { // hydrogens may be atoms of their own
		return a, false, nil
	}
	s, err := f.Structure()
	if err != nil {
		return a, false, err
	}
	a = Arm{Atoms: heavyAtoms(s), Bonds: len(s.Bonds)}
	telling := slices.ContainsFunc(s.Atoms, func(a chem.Atom) bool { return a.Number != 6 && a.Number != 1 }) ||
		slices.ContainsFunc(s.Bonds, func(b chem.Bond) bool { return b.Type == chem.Double || b.Type == chem.Triple })
	if a.Atoms > maxArm || !telling {
		return a, false, nil
	}
	a.SMILES, err = f.RootedSMILES(f.Atom)
	return a, err == nil && !strings.HasPrefix(a.SMILES, "CC"), err
}

// MeanSize returns the mean numbers of atoms and of bonds of an arm.
func (v *Vocabulary) MeanSize() (atoms, bonds float64) {
	for _, a := range v.Arms {
		atoms += float64(a.Atoms) / float64(len(v.Arms))
		bonds += float64(a.Bonds) / float64(len(v.Arms))
	}
	return atoms, bonds
}

// Write writes the arms as CSV.
func (v *Vocabulary) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"count", "smiles", "atoms", "bonds"})
	for _, a := range v.Arms {
		out.Write([]string{strconv.Itoa(a.Count), a.SMILES, strconv.Itoa(a.Atoms), strconv.Itoa(a.Bonds)})
	}
	out.Flush()
	return out.Error()
}

// WriteFile writes the arms to a file and returns the checksum of its content.
func (v *Vocabulary) WriteFile(path string) (checksum string, err error) {
	sum := sha256.New()
	err = atomicfile.Write(path, func(w io.Writer) error { return v.Write(io.MultiWriter(w, sum)) })
	if err != nil {
		return "", fmt.Errorf("mars: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// OpenVocabulary is Extract with a cache in a folder: for the same molecules it reads the stored
// vocabulary.
func OpenVocabulary(ctx context.Context, tk chem.Toolkit, dir string, smiles []string, c ExtractConfig) (*Vocabulary, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, tk.Version(), c.Size, c.KeepStereo)
	for _, s := range smiles {
		fmt.Fprintln(sum, s)
	}
	path := filepath.Join(dir, fmt.Sprintf("fragments-%x.json", sum.Sum(nil)[:6]))
	v := &Vocabulary{}
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err = json.Unmarshal(text, v); err == nil && len(v.Arms) == 0 {
			err = errors.New("it has no arm")
		}
		if err != nil {
			return nil, fmt.Errorf("mars: %s, which is made again where there is none: %w", path, err)
		}
		return v, nil
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("mars: %w", err)
	}
	if v, err = Extract(ctx, tk, smiles, c); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("mars: %w", err)
	}
	if err := atomicfile.WriteJSON(path, v); err != nil {
		return nil, fmt.Errorf("mars: %w", err)
	}
	return v, nil
}
