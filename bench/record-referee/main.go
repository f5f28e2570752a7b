// Judges the public answers of a record with the packages of Go's checksum database: the signature of the checkpoint, the tree of the
// entries and of the tiles, a proof for every entry and for every smaller size. Then it spoils one byte of an answer of each sort, and
// judges again: each has to be refused.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	leafBytes  = 108
	tileHeight = 8
	tileWidth  = 1 << tileHeight
)

var client = &http.Client{Timeout: 30 * time.Second}

// site answers from what it has been given once, so that a judgement is about one state of the log.
type site struct {
	base  string
	known map[string][]byte
	// spoiled is the beginning of the path of one answer that is changed; firstSpoiled is that answer's path.
	spoiled, firstSpoiled string
}

func (s *site) get(path string) ([]byte, error) {
	body, ok := s.known[path]
	if !ok {
		answer, err := client.Get(s.base + path)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		if body, err = io.ReadAll(answer.Body); err != nil {
			return nil, err
		}
		if answer.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s answered %d", path, answer.StatusCode)
		}
		s.known[path] = body
	}
	if s.spoiled == "" || !strings.HasPrefix(path, s.spoiled) || (s.firstSpoiled != "" && s.firstSpoiled != path) {
		return body, nil
	}
	s.firstSpoiled = path
	changed := append([]byte{}, body...)
	changed[len(changed)/2] ^= 1
	return changed, nil
}

func (s *site) hashes(path, field string) ([]tlog.Hash, error) {
	body, err := s.get(path)
	if err != nil {
		return nil, err
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	var texts []string
	if err := json.Unmarshal(answer[field], &texts); err != nil {
		return nil, err
	}
	hashes := make([]tlog.Hash, len(texts))
	for i, text := range texts {
		if hashes[i], err = tlog.ParseHash(text); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// tiles reads the tiles of hashes; Go's paths of tiles have the height, those of C2SP have not.
type tiles struct{ site *site }

func (t tiles) Height() int                     { return tileHeight }
func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}
func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	all := make([][]byte, len(wanted))
	for i, tile := range wanted {
		body, err := t.site.get("/record/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		all[i] = body
	}
	return all, nil
}

// signedTree opens the checkpoint with the keys of the plain type; Go's note knows no other.
func signedTree(s *site) (tlog.Tree, error) {
	body, err := s.get("/record/keys")
	if err != nil {
		return tlog.Tree{}, err
	}
	var keys struct{ Log []string }
	if err := json.Unmarshal(body, &keys); err != nil {
		return tlog.Tree{}, err
	}
	var verifiers []note.Verifier
	for _, vkey := range keys.Log {
		if verifier, err := note.NewVerifier(vkey); err == nil {
			verifiers = append(verifiers, verifier)
		}
	}
	text, err := s.get("/record/checkpoint")
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(text, note.VerifierList(verifiers...))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != opened.Sigs[0].Name {
		return tlog.Tree{}, fmt.Errorf("the checkpoint is %q", opened.Text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return tlog.Tree{}, fmt.Errorf("the root is %q", lines[2])
	}
	return tlog.Tree{N: size, Hash: tlog.Hash(root)}, nil
}

// entries reads all bundles: each entry behind its length in two bytes.
func entries(s *site, size int64) ([][]byte, error) {
	var all [][]byte
	for index := int64(0); index*tileWidth < size; index++ {
		width := min(tileWidth, size-index*tileWidth)
		tile := tlog.Tile{H: tileHeight, L: 0, N: index, W: int(width)}
		body, err := s.get("/record/" + strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1))
		if err != nil {
			return nil, err
		}
		for range width {
			if len(body) < 2+leafBytes || int(body[0])<<8|int(body[1]) != leafBytes {
				return nil, fmt.Errorf("bundle %d is no bundle of leaves", index)
			}
			all = append(all, body[2:2+leafBytes])
			body = body[2+leafBytes:]
		}
		if len(body) != 0 {
			return nil, fmt.Errorf("bundle %d has %d bytes too many", index, len(body))
		}
	}
	return all, nil
}

// stored is a tree in memory, as Go counts its hashes.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = s[index]
	}
	return hashes, nil
}

// judge returns how many entries the log has.
func judge(s *site) (int64, error) {
	tree, err := signedTree(s)
	if err != nil {
		return 0, fmt.Errorf("checkpoint: %w", err)
	}
	leaves, err := entries(s, tree.N)
	if err != nil {
		return 0, fmt.Errorf("entries: %w", err)
	}
	var own stored
	for index, leaf := range leaves {
		added, err := tlog.StoredHashes(int64(index), leaf, own)
		if err != nil {
			return 0, err
		}
		own = append(own, added...)
	}
	root, err := tlog.TreeHash(tree.N, own)
	if err != nil || root != tree.Hash {
		return 0, fmt.Errorf("entries: their root %v is not the signed one %v (%v)", root, tree.Hash, err)
	}
	reader := tlog.TileHashReader(tree, tiles{s})
	for index := range tree.N {
		at := tlog.StoredHashIndex(0, index)
		read, err := reader.ReadHashes([]int64{at})
		if err != nil || read[0] != own[at] {
			return 0, fmt.Errorf("tiles: entry %d has %v (%v)", index, read, err)
		}
		path, err := s.hashes(fmt.Sprintf("/record/proof?index=%d&size=%d", index, tree.N), "path")
		if err != nil {
			return 0, fmt.Errorf("inclusion: %w", err)
		}
		if err := tlog.CheckRecord(path, tree.N, tree.Hash, index, own[at]); err != nil {
			return 0, fmt.Errorf("inclusion of entry %d: %w", index, err)
		}
	}
	for size := int64(1); size < tree.N; size++ {
		older, err := tlog.TreeHash(size, own)
		if err != nil {
			return 0, err
		}
		proof, err := s.hashes(fmt.Sprintf("/record/consistency?from=%d&to=%d", size, tree.N), "proof")
		if err != nil {
			return 0, fmt.Errorf("consistency: %w", err)
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, size, older); err != nil {
			return 0, fmt.Errorf("consistency with %d entries: %w", size, err)
		}
	}
	return tree.N, nil
}

func main() {
	honest := &site{base: os.Args[1], known: map[string][]byte{}}
	size, err := judge(honest)
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(1)
	}
	fmt.Printf("accepted: %d entries, the signature, both trees, %d proofs of places and %d of growth\n", size, size, size-1)
	sorts := []string{"checkpoint", "tile/entries/", "tile/0/", "tile/1/", "proof", "consistency"}
	for _, sort := range sorts {
		spoiled := &site{base: honest.base, known: honest.known, spoiled: "/record/" + sort}
		if _, err := judge(spoiled); err == nil || spoiled.firstSpoiled == "" {
			fmt.Printf("accepted with a wrong byte in %q\n", spoiled.firstSpoiled)
			os.Exit(1)
		}
	}
	fmt.Printf("refused: a wrong byte in an answer of each of %d sorts\n", len(sorts))
}
