// Classifiers made by hand, and one detection with the backend under test.
#pragma once

#include <string>
#include <vector>

#include "suite.h"

namespace vedette::ops {

// Two stages on a window of 8 x 8: bright above dark, and a tilted feature with three rectangles in a tree of two
// nodes.
inline const std::string haar = R"(<?xml version="1.0"?>
<opencv_storage><cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType><featureType>HAAR</featureType>
<height>8</height><width>8</width><featureParams><maxCatCount>0</maxCatCount></featureParams><stageNum>2</stageNum>
<stages>
<_><maxWeakCount>1</maxWeakCount><stageThreshold>0.25</stageThreshold><weakClassifiers>
  <_><internalNodes>0 -1 0 0.05</internalNodes><leafValues>-1. 1.</leafValues></_></weakClassifiers></_>
<_><maxWeakCount>2</maxWeakCount><stageThreshold>0.2</stageThreshold><weakClassifiers>
  <_><internalNodes>1 0 1 0.02 -1 -2 2 -0.01</internalNodes><leafValues>0.5 -0.75 1.25</leafValues></_>
  <_><internalNodes>0 -1 2 0.01</internalNodes><leafValues>0.125 -0.25</leafValues></_></weakClassifiers></_>
</stages>
<features>
<_><rects><_>0 0 8 4 1.</_><_>0 4 8 4 -1.</_></rects><tilted>0</tilted></_>
<_><rects><_>0 0 8 8 -1.</_><_>2 2 4 4 3.</_><_>6 0 2 8 0.5</_></rects></_>
<_><rects><_>4 0 3 4 -1.</_><_>4 1 2 2 2.</_></rects><tilted>1</tilted></_>
</features></cascade></opencv_storage>)";

// The same classifier as OpenCV 1 wrote it.
inline const std::string old_haar = R"(<?xml version="1.0"?>
<opencv_storage><tiny type_id="opencv-haar-classifier"><size>8 8</size><stages>
<_><!-- bright < above > dark --><trees><_><_><feature><rects><_>0 0 8 4 1.</_><_>0 4 8 4 -1.</_></rects><tilted>0</tilted></feature>
  <threshold>0.05</threshold><left_val>-1.</left_val><right_val>1.</right_val></_></_></trees>
  <stage_threshold>0.25</stage_threshold><parent>-1</parent><next>-1</next></_>
<_><trees>
  <_><_><feature><rects><_>0 0 8 8 -1.</_><_>2 2 4 4 3.</_><_>6 0 2 8 0.5</_></rects><tilted>0</tilted></feature>
     <threshold>0.02</threshold><left_node>1</left_node><right_val>0.5</right_val></_>
     <_><feature><rects><_>4 0 3 4 -1.</_><_>4 1 2 2 2.</_></rects><tilted>1</tilted></feature>
     <threshold>-0.01</threshold><left_val>-0.75</left_val><right_val>1.25</right_val></_></_>
  <_><_><feature><rects><_>4 0 3 4 -1.</_><_>4 1 2 2 2.</_></rects><tilted>1</tilted></feature>
     <threshold>0.01</threshold><left_val>0.125</left_val><right_val>-0.25</right_val></_></_></trees>
  <stage_threshold>0.2</stage_threshold><parent>0</parent><next>-1</next></_>
</stages></tiny></opencv_storage>)";

inline const std::string lbp = R"(<?xml version="1.0"?>
<opencv_storage><cascade><stageType>BOOST</stageType><featureType>LBP</featureType><height>12</height><width>12</width>
<featureParams><maxCatCount>256</maxCatCount></featureParams><stageNum>1</stageNum>
<stages><_><maxWeakCount>1</maxWeakCount><stageThreshold>0.1</stageThreshold><weakClassifiers><_>
<internalNodes>0 -1 0 -252645136 1431655765 252645135 -1 0 858993459 -858993460 16711935</internalNodes>
<leafValues>-1. 1.</leafValues></_></weakClassifiers></_></stages>
<features><_><rect>1 2 3 3</rect></_></features></cascade></opencv_storage>)";

struct Detection {
    vdt_code code = VDT_OK;
    std::string text;
    std::vector<vdt_item> items;
};

// A window grows by a fifth and two of its places are joined; everything else is left to the classifier and the image.
vdt_cascade_params params_for(const std::string& cascade);

// With the first variant; checks that every other one finds the same.
Detection detect(const TestImage& image, const vdt_cascade_params& params);

// With the first variant alone, for as long as the limit lets it.
Detection detect_until(const TestImage& image, const vdt_cascade_params& params, Limit& limit);

}  // namespace vedette::ops
